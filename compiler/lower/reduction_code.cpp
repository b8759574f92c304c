#include "lower/reduction_code.h"

#include "graph/reduction.h"
#include "lower/lower_expr.h"

namespace stencilgen::lower {

using graph::ReduceOp;
using kernel::Expr;

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

Expr BeginningOf(const graph::Graph& graph, const graph::Operator& op) {
  return BeginningOf(op.reduction->op, graph.exprs[op.value].type);
}

}  // namespace stencilgen::lower
