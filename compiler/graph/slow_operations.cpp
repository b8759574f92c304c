#include "graph/slow_operations.h"

namespace stencilgen::graph {

std::int64_t SlowOperations(const Graph& graph, const Expr& expr) {
  constexpr std::int64_t kOther = 3;
  if (!IsFloating(expr.type)) return 0;
  if (const auto* binary = std::get_if<Binary>(&expr.node)) {
    const auto* root = std::get_if<Call>(&graph.exprs[binary->rhs].node);
    const bool by_root = root != nullptr && root->function == Function::Sqrt;
    return binary->op == BinaryOp::Div && !by_root ? 1 : 0;
  }
  const auto* call = std::get_if<Call>(&expr.node);
  if (call == nullptr) return 0;
  switch (call->function) {
    case Function::Min:
    case Function::Max:
    case Function::Abs:
    case Function::Fabs:
      return 0;
    case Function::Sqrt:
      return 1;
    default:
      return kOther;
  }
}

}  // namespace stencilgen::graph
