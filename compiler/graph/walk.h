#pragma once

#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// The operands of an expression, first evaluated first.
std::vector<ExprId> Operands(const Expr& expr);

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
