#include "graph/chosen_accesses.h"

#include "graph/walk.h"

namespace stencilgen::graph {

std::vector<ExprId> ChosenAccesses(const Graph& graph, const Operator& op) {
  std::vector<ExprId> accesses;
  const auto collect = [&](ExprId id) {
    if (std::holds_alternative<Access>(graph.exprs[id].node)) accesses.push_back(id);
  };
  const auto check = [&](ExprId id) {
    const auto* choice = std::get_if<Conditional>(&graph.exprs[id].node);
    if (choice == nullptr) return;
    Walk(graph, choice->then_value, collect);
    Walk(graph, choice->else_value, collect);
  };
  for (const Let& let : op.lets) Walk(graph, let.value, check);
  Walk(graph, op.value, check);
  return accesses;
}

}  // namespace stencilgen::graph
