#include "lower/reduction_code.h"

#include <utility>

#include <fmt/format.h>

#include "graph/reduction.h"
#include "lower/domain_bounds.h"

namespace stencilgen::lower {

using graph::ReduceOp;
using kernel::Expr;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;

Expr BeginningOf(ReduceOp op, ScalarType type) {
  const double identity = graph::IdentityOf(op, type);
  const kernel::Type of = kernel::TypeOf(type);
  return IsFloating(type) ? kernel::Constant(of, identity)
                          : kernel::Constant(of, static_cast<std::int64_t>(identity));
}

Expr Combined(ReduceOp op, ScalarType type, const Expr& before, const Expr& value) {
  switch (op) {
    case ReduceOp::Min:
      return kernel::Call(Function::Min, kernel::TypeOf(type), {before, value});
    case ReduceOp::Max:
      return kernel::Call(Function::Max, kernel::TypeOf(type), {before, value});
    case ReduceOp::Any:
      return LowerBinary(BinaryOp::Or, type, before, value);
    case ReduceOp::All:
      return LowerBinary(BinaryOp::And, type, before, value);
    case ReduceOp::Sum:
      break;
  }
  return LowerBinary(BinaryOp::Add, type, before, value);
}

ReductionPoint::ReductionPoint(const ProgramModel& model, const graph::Operator& op,
                               OperatorStyle style)
    : model_(model),
      op_(op),
      type_(model.graph().exprs[op.value].type),
      scope_(&model.scope()),
      value_(kernel::MakeVar(scope_.Claim("value"), kernel::TypeOf(type_))) {
  style.scope = &scope_;
  style.result = Read(value_);
  style.declares_result = true;
  code_.emplace(model_, op_, std::move(style));
  code_->Target(op_.target);
}

kernel::VarRef ReductionPoint::NewVar(std::string_view wish, kernel::Type type) {
  return kernel::MakeVar(code_->Claim(wish), type);
}

void ReductionPoint::Lower(kernel::Block& block, const Expr& into) const {
  block.Append(code_->point());
  block.Add(kernel::AssignStmt{into, AssignOp::Assign,
                               Combined(op_.reduction->op, type_, into, Read(value_))});
}

Expr ReductionPoint::ResultAt(const Expr& position) const {
  return kernel::ElementAt(model_.Var(model_.TargetOf(op_.result)), position);
}

void ReductionPoint::LowerBounds(kernel::Block& block, std::vector<kernel::VarRef>& lo,
                                 std::vector<kernel::VarRef>& hi) {
  const auto form = [&](const graph::LinearForm& linear) { return code_->Form(linear); };
  const Expr guards = GuardOf(op_.domain, form);
  for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
    const graph::Interval& interval = op_.domain.intervals[n];
    const std::string& name = code_->IteratorName(n);
    lo.push_back(NewVar(name + "_lo", kernel::kIndex));
    hi.push_back(NewVar(name + "_hi", kernel::kIndex));
    block.Add(LetStmt{lo[n], LowerOf(interval, form)});
    const Expr last = UpperOf(interval, form);
    block.Add(LetStmt{
        hi[n], guards.Valid() ? kernel::Choose(guards, last, Read(lo[n]) - Number(1)) : last});
  }
}

}  // namespace stencilgen::lower
