#include "graph/extrapolated.h"

namespace stencilgen::graph {
namespace {

const Binary* DifferenceAt(const Graph& graph, ExprId id) {
  const auto* binary = std::get_if<Binary>(&graph.exprs[id].node);
  return binary != nullptr && binary->op == BinaryOp::Sub ? binary : nullptr;
}

}  // namespace

const Binary* Extrapolated(const Graph& graph, ExprId id) {
  const Binary* whole = DifferenceAt(graph, id);
  const Binary* slope = whole == nullptr ? nullptr : DifferenceAt(graph, whole->rhs);
  if (slope == nullptr) return nullptr;
  for (const ExprId part : {whole->lhs, whole->rhs, slope->lhs, slope->rhs}) {
    if (graph.exprs[part].span != graph.exprs[id].span) return nullptr;
  }
  // `m - e`, where e is such a difference along another dimension, looks alike.
  return AreSameElement(graph, whole->lhs, slope->rhs) ? whole : nullptr;
}

Graph WithoutLines(Graph graph) {
  for (const ExprId id : graph.exprs.Ids()) {  // operands before what is made of them
    const Binary* line = Extrapolated(graph, id);
    if (line != nullptr) graph.exprs[id] = Expr(graph.exprs[line->lhs]);
  }
  return graph;
}

bool AreSameElement(const Graph& graph, ExprId a, ExprId b) {
  const Binary* left = DifferenceAt(graph, a);
  const Binary* right = DifferenceAt(graph, b);
  if (left != nullptr && right != nullptr) {
    return AreSameElement(graph, left->lhs, right->lhs) &&
           AreSameElement(graph, left->rhs, right->rhs);
  }
  const auto* first = std::get_if<Access>(&graph.exprs[a].node);
  const auto* second = std::get_if<Access>(&graph.exprs[b].node);
  return first != nullptr && second != nullptr && first->version == second->version &&
         first->indices == second->indices && first->boundary == second->boundary;
}

}  // namespace stencilgen::graph
