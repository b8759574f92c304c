#include "graph/nodes.h"

#include <algorithm>

#include "support/check.h"

namespace stencilgen::graph {
namespace {

/// The node as a NodeT. Requires: it is one.
template <typename NodeT, typename GraphT>
auto& NodeOf(GraphT& graph, NodeId node) {
  auto* found = std::get_if<NodeT>(&graph.nodes[node]);
  STENCILGEN_CHECK(found != nullptr);
  return *found;
}

}  // namespace

const Operator& OperatorOf(const Graph& graph, NodeId node) {
  return NodeOf<Operator>(graph, node);
}
Operator& OperatorOf(Graph& graph, NodeId node) {
  return NodeOf<Operator>(graph, node);
}
const Loop& LoopOf(const Graph& graph, NodeId node) {
  return NodeOf<Loop>(graph, node);
}
Loop& LoopOf(Graph& graph, NodeId node) {
  return NodeOf<Loop>(graph, node);
}

std::size_t WalkedDimensions(const Graph& graph) {
  std::size_t outermost = graph.iterators.size();
  for (const Node& node : graph.nodes) {
    const auto* op = std::get_if<Operator>(&node);
    if (op == nullptr || op->iterators.empty()) continue;
    outermost = std::min(outermost, static_cast<std::size_t>(op->iterators.front()));
  }
  return graph.iterators.size() - outermost;
}

bool HasLoop(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return Match(
        node, [](const Operator&) { return false; }, [](const Loop&) { return true; });
  });
}

}  // namespace stencilgen::graph
