#include "lower/host_steps.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "lower/domain_bounds.h"
#include "lower/operator_code.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::lower {
namespace {

using graph::LinearForm;
using kernel::Expr;
using kernel::Steps;
using plan::BufferId;

class StepLowering {
 public:
  StepLowering(const ProgramModel& model, kernel::Target target,
               const std::vector<kernel::BandStep>& bands)
      : model_(model), target_(target), bands_(bands), scope_(&model.scope()) {}

  Steps Lower(const std::vector<plan::Step>& planned) {
    Steps steps;
    for (const plan::Step& step : planned) {
      Match(
          step,
          [&](const plan::Launch& launch) {
            steps.push_back({kernel::LaunchStep{launch.kernel.index}});
          },
          [&](const plan::AssignScalar& assign) { steps.push_back({LowerAssign(assign)}); },
          [&](const plan::CopyOutside& copy) { steps.push_back({LowerCopyOutside(copy)}); },
          [&](const plan::CopyAll& copy) {
            steps.push_back({kernel::CopyStep{copy.dst.index, copy.src.index}});
          },
          [&](const plan::Repeat& repeat) { LowerRepeat(repeat, steps); });
    }
    return steps;
  }

 private:
  Expr Form(const LinearForm& form) const { return model_.Form(form); }

  static void AddCode(kernel::Block code, Steps& steps) {
    if (!code.stmts.empty()) steps.push_back({kernel::CodeStep{std::move(code)}});
  }

  kernel::ScopeStep LowerAssign(const plan::AssignScalar& assign) {
    const graph::Operator& op = model_.OperatorOf(assign.op);
    kernel::ScopeStep scope;
    scope.condition = GuardOf(op.domain, [&](const LinearForm& linear) { return Form(linear); });
    Steps reads;
    OperatorStyle style;
    style.exact_products = false;  // host compilers are told not to contract
    style.element = [&](BufferId buffer, const Expr& position) {
      if (target_ == kernel::Target::Host) {
        return kernel::ElementAt(model_.Var(buffer), position);
      }
      const kernel::VarRef var =
          kernel::MakeVar(fmt::format("element_{}", ++elements_), model_.Var(buffer)->type);
      reads.push_back({kernel::ReadStep{var, buffer.index, position}});
      return kernel::Read(var);
    };
    OperatorCode code(model_, op, style);
    const Expr value = code.ScalarValue();
    AddCode(code.uniform(), scope.body);
    for (kernel::Step& read : reads) scope.body.push_back(std::move(read));
    const int scalar = model_.plan().scalar_of[op.result.index];
    kernel::Block block;
    block.Add(kernel::AssignStmt{kernel::Read(model_.ScalarVar(scalar)), AssignOp::Assign, value});
    AddCode(std::move(block), scope.body);
    return scope;
  }

  kernel::CopyStep LowerCopyOutside(const plan::CopyOutside& copy) const {
    const graph::Operator& op = model_.OperatorOf(copy.op);
    const auto form = [&](const LinearForm& linear) { return Form(linear); };
    kernel::CopyStep step{copy.dst.index, copy.src.index};
    step.outside.emplace();
    for (const graph::Index& index : op.target) {
      const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
      STENCILGEN_CHECK(at != op.iterators.end());
      const graph::Interval& interval =
          op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
      step.outside->push_back({LowerOf(interval, form), UpperOf(interval, form)});
    }
    step.condition = GuardOf(op.domain, form);
    return step;
  }

  Expr TurnsOf(const graph::Turns& turns) const {
    const Expr count = Form(turns.count);
    if (turns == graph::Turns{turns.count}) return count;
    if (kernel::NumberOf(count)) return kernel::Number(graph::Evaluate(turns, {}));
    return kernel::Apply(turns.remainder ? BinaryOp::Mod : BinaryOp::Div, count,
                         kernel::Number(turns.divisor));
  }

  graph::ParameterId TurnIn(const plan::Repeat& repeat) const {
    return repeat.loop.Valid() ? graph::LoopOf(model_.graph(), repeat.loop).turn
                               : graph::ParameterId{};
  }

  void LowerRepeat(const plan::Repeat& repeat, Steps& steps) {
    const bool only_moves_scalars = repeat.body.empty() && repeat.rotation.empty();
    if (only_moves_scalars && repeat.turns == graph::Turns{LinearForm::Constant(1)}) {
      return AddCode(LowerScalarMoves(repeat.scalar_moves), steps);
    }
    if (repeat.band) return LowerBand(repeat, steps);
    steps.push_back({LowerTurns(repeat)});
  }

  void LowerBand(const plan::Repeat& repeat, Steps& steps) {
    kernel::BandStep band = bands_[next_band_++];
    band.turns = TurnsOf(repeat.turns);
    band.tile = scope_.Claim("tile");
    if (repeat.band->period > 1) {
      kernel::RepeatStep left;
      left.var = kernel::MakeVar(scope_.Claim("step"), kernel::kIndex);
      left.turns = kernel::Apply(BinaryOp::Mod, band.turns, kernel::Number(repeat.band->period));
      LowerRotation(repeat.rotation, left.body);
      band.after.push_back({std::move(left)});
    }
    if (band.turns_of_tile == 0) band.otherwise.push_back({LowerTurns(repeat)});
    steps.push_back({std::move(band)});
  }

  kernel::RepeatStep LowerTurns(const plan::Repeat& repeat) {
    kernel::RepeatStep loop;
    loop.turns = TurnsOf(repeat.turns);
    if (const graph::ParameterId turn = TurnIn(repeat); turn.Valid()) {
      loop.var = model_.Var(turn);
      if (repeat.turns.remainder) {  // goes on where time tiles end
        const Expr count = Form(repeat.turns.count);
        loop.first = count - loop.turns;
        loop.turns = count;
      }
    } else {
      loop.var = kernel::MakeVar(scope_.Claim("step"), kernel::kIndex);
    }
    loop.body = Lower(repeat.body);
    LowerRotation(repeat.rotation, loop.body);
    AddCode(LowerScalarMoves(repeat.scalar_moves), loop.body);
    return loop;
  }

  /// Cycle by cycle, from the buffer named first.
  void LowerRotation(const std::vector<std::pair<BufferId, BufferId>>& rotation, Steps& steps) {
    std::map<BufferId, BufferId> source(rotation.begin(), rotation.end());
    for (const auto& [first, ignored] : rotation) {
      if (source.count(first) == 0) continue;
      std::vector<BufferId> cycle = {first};
      while (source.at(cycle.back()) != first) cycle.push_back(source.at(cycle.back()));
      kernel::RotateStep step;
      for (const BufferId buffer : cycle) {
        source.erase(buffer);
        step.cycle.push_back(buffer.index);
      }
      if (cycle.size() == 1) continue;
      if (cycle.size() > 2) step.old = scope_.Claim(fmt::format("old_{}", model_.Name(first)));
      steps.push_back({std::move(step)});
    }
  }

  /// All at once: a variable that is both read and written is kept until it has been read.
  kernel::Block LowerScalarMoves(const std::vector<std::pair<int, int>>& moves) {
    const auto assign = [&](int to, const kernel::VarRef& from) {
      return kernel::AssignStmt{kernel::Read(model_.ScalarVar(to)), AssignOp::Assign,
                                kernel::Read(from)};
    };
    kernel::Block block;
    if (moves.empty()) return block;
    if (moves.size() == 1) {
      block.Add(assign(moves[0].first, model_.ScalarVar(moves[0].second)));
      return block;
    }
    kernel::ScopeStmt scope;
    std::vector<kernel::VarRef> values;
    for (const auto& [to, from] : moves) {
      const kernel::VarRef& source = model_.ScalarVar(from);
      values.push_back(kernel::MakeVar(
          scope_.Claim(fmt::format("next_{}", model_.ScalarVar(to)->name)), source->type));
      scope.body.Add(kernel::LetStmt{values.back(), kernel::Read(source)});
    }
    for (std::size_t k = 0; k < moves.size(); ++k) {
      scope.body.Add(assign(moves[k].first, values[k]));
    }
    block.Add(std::move(scope));
    return block;
  }

  const ProgramModel& model_;
  kernel::Target target_;
  const std::vector<kernel::BandStep>& bands_;
  std::size_t next_band_ = 0;
  NameScope scope_;
  int elements_ = 0;
};

}  // namespace

kernel::Steps LowerSteps(const ProgramModel& model, kernel::Target target,
                         const std::vector<kernel::BandStep>& bands) {
  return StepLowering(model, target, bands).Lower(model.plan().steps);
}

}  // namespace stencilgen::lower
