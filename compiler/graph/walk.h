#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "graph/graph.h"
#include "support/match.h"

namespace stencilgen::graph {

/// The operands of an expression, first evaluated first.
std::vector<ExprId> Operands(const Expr& expr);

/// Calls `visit(ExprId)` on each of them, in that order.
template <typename Visit>
void VisitOperands(const Expr& expr, Visit visit) {
  Match(
      expr.node, [&](const Unary& unary) { visit(unary.operand); },
      [&](const Binary& binary) {
        visit(binary.lhs);
        visit(binary.rhs);
      },
      [&](const Conditional& conditional) {
        visit(conditional.condition);
        visit(conditional.then_value);
        visit(conditional.else_value);
      },
      [&](const Call& call) {
        for (ExprId argument : call.arguments) visit(argument);
      },
      [&](const Convert& convert) { visit(convert.operand); },
      [&](const Access& access) {
        for (const Index& index : access.indices) {
          if (index.place.Valid()) visit(index.place);
        }
      },
      [](const auto&) {});
}

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
      [&](Convert& convert) { convert.operand = map(convert.operand); },
      [&](Access& access) {
        for (Index& index : access.indices) {
          if (index.place.Valid()) index.place = map(index.place);
        }
      },
      [](auto&) {});
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
    const auto first = static_cast<std::ptrdiff_t>(pending.size());
    VisitOperands(graph.exprs[id], [&](ExprId operand) { pending.push_back(operand); });
    std::reverse(pending.begin() + first, pending.end());
  }
}

}  // namespace stencilgen::graph
