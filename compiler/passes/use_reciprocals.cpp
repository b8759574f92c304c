#include "passes/use_reciprocals.h"

#include <cmath>
#include <optional>

namespace stencilgen::passes {
namespace {

/// 1 / value in the type, where that is a normal number.
std::optional<double> Reciprocal(double value, ScalarType type) {
  if (type == ScalarType::Float) {
    const float reciprocal = 1.0F / static_cast<float>(value);
    if (!std::isnormal(reciprocal)) return std::nullopt;
    return static_cast<double>(reciprocal);
  }
  const double reciprocal = 1.0 / value;
  if (!std::isnormal(reciprocal)) return std::nullopt;
  return reciprocal;
}

}  // namespace

graph::Graph UseReciprocals(graph::Graph graph) {
  for (const graph::ExprId id : graph.exprs.Ids()) {
    const graph::Expr expr = graph.exprs[id];
    const auto* division = std::get_if<graph::Binary>(&expr.node);
    if (division == nullptr || division->op != BinaryOp::Div || !IsFloating(expr.type)) continue;
    const graph::Expr divisor = graph.exprs[division->rhs];
    const auto* literal = std::get_if<graph::Literal>(&divisor.node);
    if (literal == nullptr) continue;
    const auto reciprocal = Reciprocal(literal->value, expr.type);
    if (!reciprocal) continue;
    const graph::ExprId factor =
        graph.exprs.Add({graph::Literal{*reciprocal, 0}, expr.type, divisor.span});
    graph.exprs[id].node = graph::Binary{BinaryOp::Mul, division->lhs, factor};
  }
  return graph;
}

}  // namespace stencilgen::passes
