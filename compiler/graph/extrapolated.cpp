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
  return whole;
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
