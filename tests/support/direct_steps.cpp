#include "support/direct_steps.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "support/direct_eval.h"

namespace stencilgen::testing::direct {
namespace {

void DeclareLocal(Scope& scope, const ast::Declaration& declaration,
                  const ast::Declarator& declarator) {
  if (declarator.extents.empty()) {
    scope.AddLocalScalar(declarator.name.text, declaration.type);
    return;
  }
  DirectArray array;
  array.type = declaration.type;
  array.format = declaration.format;
  std::size_t count = 1;
  for (const ast::ExprId extent : declarator.extents) {
    array.shape.push_back(static_cast<std::int64_t>(EvalUniform(scope, extent)));
    count *= static_cast<std::size_t>(array.shape.back());
  }
  array.values.resize(count);
  array.defined.resize(count);
  scope.AddLocalArray(declarator.name.text, std::move(array));
}

Step StepOf(const ast::Declarator& scalar) {
  Step step;
  step.target.name = scalar.name;
  step.value = *scalar.init;
  return step;
}

Step StepOf(const ast::Program& program, const ast::Assignment& assignment) {
  Step step;
  if (assignment.domain) step.domain = &*assignment.domain;
  step.op = assignment.op;
  step.value = assignment.value;
  const ast::Expr& target = program.exprs[assignment.target];
  if (const auto* access = std::get_if<ast::Access>(&target.node)) {
    step.target = *access;
  } else {
    step.target.name.text = std::get<ast::NameRef>(target.node).name;
  }
  return step;
}

bool Reads(const Scope& scope, ast::ExprId id, const std::string& name) {
  const ast::Expr& expr = scope.program().exprs[id];
  const auto* ref = std::get_if<ast::NameRef>(&expr.node);
  const auto* access = std::get_if<ast::Access>(&expr.node);
  if (ref != nullptr) return scope.Identity(ref->name) == scope.Identity(name);
  if (access != nullptr) return scope.Identity(access->name.text) == scope.Identity(name);
  return AnyOperand(expr, [&](ast::ExprId operand) { return Reads(scope, operand, name); });
}

/// Sets what a step's target and value are: kind, update, uniform.
void Classify(Scope& scope, std::vector<Step>& steps) {
  std::set<std::string> uniform;
  for (Step& step : steps) {
    const std::string& target = step.target.name.text;
    if (scope.FindLocalScalar(target) != nullptr) {
      step.kind = StepTarget::LocalScalar;
    } else if (step.target.indices.empty()) {
      step.kind = StepTarget::ProgramScalar;
    }
    step.update = step.op != AssignOp::Assign || Reads(scope, step.value, target);
    if (step.kind != StepTarget::LocalScalar) continue;
    const bool keeps = step.op == AssignOp::Assign || uniform.count(target) > 0;
    step.uniform = keeps && !Varies(scope, step.value, uniform);
    if (step.uniform) {
      uniform.insert(target);
    } else {
      uniform.erase(target);
    }
  }
}

bool SameDomain(Scope& scope, const Step& a, const Step& b) {
  if (a.domain == nullptr || b.domain == nullptr) return a.domain == b.domain;
  const auto same = [&](const ast::Range& x, const ast::Range& y) {
    return EvalUniform(scope, x.lo) == EvalUniform(scope, y.lo) &&
           EvalUniform(scope, x.hi) == EvalUniform(scope, y.hi);
  };
  return std::equal(a.domain->ranges.begin(), a.domain->ranges.end(), b.domain->ranges.begin(),
                    b.domain->ranges.end(), same);
}

/// The same elements of the array, iterator offsets aside: those only shift the statement.
bool SameTarget(Scope& scope, const ast::Access& a, const ast::Access& b) {
  for (std::size_t d = 0; d < a.indices.size(); ++d) {
    const double first = EvalUniform(scope, a.indices[d]);
    const double second = EvalUniform(scope, b.indices[d]);
    bool shiftable = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Point unit{};
      unit[axis] = 1;
      const double slope = Eval(scope, a.indices[d], unit).value - first;
      if (slope != Eval(scope, b.indices[d], unit).value - second) return false;
      shiftable = shiftable || slope == 1;
    }
    if (!shiftable && first != second) return false;
  }
  return true;
}

void FindGroups(Scope& scope, std::vector<Step>& steps) {
  int groups = 0;
  std::map<std::string, std::vector<std::size_t>> leaders;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    if (step.kind == StepTarget::ProgramScalar) continue;
    std::vector<std::size_t>& open = leaders[scope.Identity(step.target.name.text)];
    if (!step.update) open.clear();
    const auto leader = std::find_if(open.begin(), open.end(), [&](std::size_t first) {
      return SameTarget(scope, step.target, steps[first].target) &&
             (step.domain == nullptr || SameDomain(scope, step, steps[first]));
    });
    if (leader == open.end()) {
      step.group = groups++;
      open.push_back(i);
    } else {
      step.group = steps[*leader].group;
    }
  }
}

}  // namespace

bool Varies(Scope& scope, ast::ExprId id, const std::set<std::string>& uniform) {
  const ast::Expr& expr = scope.program().exprs[id];
  const auto varies = [&](ast::ExprId part) { return Varies(scope, part, uniform); };
  if (const auto* ref = std::get_if<ast::NameRef>(&expr.node)) {
    if (scope.FindLocalScalar(ref->name) != nullptr) return uniform.count(ref->name) == 0;
    return scope.IsIterator(ref->name);
  }
  if (const auto* access = std::get_if<ast::Access>(&expr.node)) {
    return std::any_of(access->indices.begin(), access->indices.end(), varies);
  }
  return AnyOperand(expr, varies);
}

std::vector<Step> MakeSteps(Scope& scope, const ast::Stencil& stencil) {
  std::vector<Step> steps;
  for (const ast::StencilItem& item : stencil.items) {
    if (const auto* declaration = std::get_if<ast::Declaration>(&item)) {
      for (const ast::Declarator& declarator : declaration->declarators) {
        DeclareLocal(scope, *declaration, declarator);
        if (declarator.init) steps.push_back(StepOf(declarator));
      }
    } else if (const auto* assignment = std::get_if<ast::Assignment>(&item)) {
      steps.push_back(StepOf(scope.program(), *assignment));
    }
  }
  Classify(scope, steps);
  FindGroups(scope, steps);
  return steps;
}

}  // namespace stencilgen::testing::direct
