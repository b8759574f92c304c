#include "support/direct_meaning.h"

#include <algorithm>
#include <utility>

#include "support/direct_eval.h"
#include "support/direct_points.h"
#include "support/direct_steps.h"
#include "support/match.h"

namespace stencilgen::testing {
namespace {

using direct::Point;
using direct::Scope;
using direct::Step;
using direct::StepTarget;

DirectNumber NewValue(Scope& scope, const Step& step, const Point& p) {
  const DirectNumber value = Eval(scope, step.value, p);
  if (step.op == AssignOp::Assign) return value;
  const DirectNumber old = step.kind == StepTarget::Array
                               ? EvalAccess(scope, step.target, p)
                               : EvalName(scope, step.target.name.text, p);
  return DirectBinary(UpdateOperator(step.op), old, value);
}

void AssignProgramScalar(Scope& scope, const Step& step) {
  DirectArray& scalar = *scope.FindArray(step.target.name.text);
  for (const auto& [reduction, points] : step.reductions) scope.SetPoints(*reduction, points);
  const DirectNumber number = NewValue(scope, step, Point{});
  scalar.values[0] = DirectConvert(number, scalar.type).value;
  scalar.defined[0] = number.defined ? 1 : 0;
}

void AssignLocalScalar(Scope& scope, const Step& step) {
  direct::LocalScalar& scalar = *scope.FindLocalScalar(step.target.name.text);
  if (step.uniform) {
    if (!step.computed) return;
    scalar.uniform_value = DirectConvert(NewValue(scope, step, Point{}), scalar.type);
    scalar.values.clear();
    return;
  }
  std::map<Point, DirectNumber> fresh;
  for (const Point& p : step.points) {
    fresh[p] = DirectConvert(NewValue(scope, step, p), scalar.type);
  }
  for (const auto& [p, number] : fresh) scalar.values[p] = number;
}

void AssignArray(Scope& scope, const Step& step) {
  DirectArray& array = *scope.FindArray(step.target.name.text);
  std::vector<std::pair<std::size_t, DirectNumber>> writes;
  for (const Point& p : step.points) {
    writes.emplace_back(FindPlace(scope, step.target, p).value().element,
                        DirectStore(NewValue(scope, step, p), array.type, array.format));
  }
  for (const auto& [element, number] : writes) {
    array.values[element] = number.value;
    array.defined[element] = number.defined ? 1 : 0;
  }
}

/// Everything is read before anything is written.
void Execute(Scope& scope, const Step& step) {
  switch (step.kind) {
    case StepTarget::ProgramScalar:
      return AssignProgramScalar(scope, step);
    case StepTarget::LocalScalar:
      return AssignLocalScalar(scope, step);
    case StepTarget::Array:
      return AssignArray(scope, step);
  }
}

void RunCall(Scope& scope, const ast::StencilCall& call) {
  const auto& stencils = scope.program().stencils;
  const auto stencil = std::find_if(stencils.begin(), stencils.end(), [&](const ast::Stencil& s) {
    return s.name.text == call.stencil.text;
  });
  scope.BindFormals(*stencil, call);
  std::vector<Step> steps = MakeSteps(scope, *stencil);
  FindPoints(scope, steps, call.domain ? &*call.domain : nullptr);
  for (const Step& step : steps) Execute(scope, step);
}

/// Whether a loop ends after the turn, counted from 0.
bool Ends(Scope& scope, const ast::Until& until, std::int64_t turn) {
  const auto every = until.every ? static_cast<std::int64_t>(EvalUniform(scope, *until.every)) : 1;
  return (turn + 1) % every == 0 && EvalUniform(scope, until.condition) != 0;
}

/// `turn` is that of the loop around, counted from 0.
void Run(Scope& scope, const std::vector<ast::CallItem>& items, std::int64_t turn) {
  for (const ast::CallItem& item : items) {
    Match(
        item, [&](const ast::StencilCall& call) { RunCall(scope, call); },
        [&](const ast::Swap& swap) {
          DirectArray& first = scope.state().at(swap.first.text);
          DirectArray& second = scope.state().at(swap.second.text);
          std::swap(first.values, second.values);
          std::swap(first.defined, second.defined);
        },
        [&](const ast::Every& every) {
          const auto turns = static_cast<std::int64_t>(EvalUniform(scope, every.turns));
          if ((turn + 1) % turns == 0) Run(scope, every.body, turn);
        },
        [&](const ast::Iterate& iterate) {
          const auto count = static_cast<std::int64_t>(EvalUniform(scope, iterate.count));
          for (std::int64_t n = 0; n < count; ++n) {
            if (iterate.turn) scope.SetTurn(iterate.turn->text, n);
            Run(scope, iterate.body, n);
            if (iterate.until && Ends(scope, *iterate.until, n)) break;
          }
        });
  }
}

}  // namespace

void EvaluateDirectly(const ast::Program& program,
                      const std::map<std::string, std::int64_t>& parameters, DirectState& state) {
  Scope scope(program, parameters, state);
  Run(scope, program.calls, 0);
}

}  // namespace stencilgen::testing
