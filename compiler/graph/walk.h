#pragma once

#include <vector>

#include "graph/graph.h"
#include "support/match.h"

namespace stencilgen::graph {

/// The operands of an expression, first evaluated first.
std::vector<ExprId> Operands(const Expr& expr);

/// Replaces each operand of the expression by map(operand).
template <typename Map>
void ReplaceOperands(Expr& expr, Map map) {
  Match(
      expr.node, [&](Unary& unary) { unary.operand = map(unary.operand); },
      [&](Binary& binary) {
        binary.lhs = map(binary.lhs);
        binary.rhs = map(binary.rhs);
      },
      [&](Conditional& conditional) {
        conditional.condition = map(conditional.condition);
        conditional.then_value = map(conditional.then_value);
        conditional.else_value = map(conditional.else_value);
      },
      [&](Call& call) {
        for (ExprId& argument : call.arguments) argument = map(argument);
      },
      [&](Convert& convert) { convert.operand = map(convert.operand); }, [](auto&) {});
}

/// Calls `visit(ExprId)` on every expression below `root` and on it, parents before operands, in
/// order. Long sums make deep trees, hence no recursion.
template <typename Visit>
void Walk(const Graph& graph, ExprId root, Visit visit) {
  std::vector<ExprId> pending = {root};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    visit(id);
    const std::vector<ExprId> operands = Operands(graph.exprs[id]);
    pending.insert(pending.end(), operands.rbegin(), operands.rend());
  }
}

}  // namespace stencilgen::graph
