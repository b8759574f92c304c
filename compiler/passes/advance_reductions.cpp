#include "passes/advance_reductions.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "graph/nodes.h"
#include "graph/reduction.h"

namespace stencilgen::passes {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::Operator;

const Operator* ReductionAt(const Graph& graph, NodeId node) {
  if (!node.Valid()) return nullptr;
  const auto* op = std::get_if<Operator>(&graph.nodes[node]);
  return op != nullptr && op->reduction ? op : nullptr;
}

/// The nodes whose versions the operator reads.
std::set<NodeId> MakersOf(const Graph& graph, const Operator& op) {
  std::set<NodeId> makers;
  for (const graph::ExprId id : graph::Accesses(graph, op)) {
    makers.insert(graph.versions[std::get<graph::Access>(graph.exprs[id].node).version].node);
  }
  return makers;
}

/// True for a first round: its operands are no lanes.
bool TakesPoints(const Graph& graph, NodeId node) {
  const Operator* op = ReductionAt(graph, node);
  if (op == nullptr || graph::IsWhole(*op->reduction)) return false;
  const std::set<NodeId> makers = MakersOf(graph, *op);
  return std::none_of(makers.begin(), makers.end(),
                      [&](NodeId maker) { return ReductionAt(graph, maker) != nullptr; });
}

std::vector<NodeId> Advance(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<NodeId> ordered;
  for (const NodeId node : nodes) {
    auto place = ordered.end();
    if (TakesPoints(graph, node)) {
      const std::set<NodeId> makers = MakersOf(graph, graph::OperatorOf(graph, node));
      while (place != ordered.begin() && makers.count(*std::prev(place)) == 0) --place;
      // Those that are there already keep their order.
      while (place != ordered.end() && TakesPoints(graph, *place)) ++place;
    }
    ordered.insert(place, node);
  }
  return ordered;
}

}  // namespace

Graph AdvanceReductions(Graph graph) {
  std::vector<std::vector<NodeId>> ordered;
  for (const graph::Region& region : graph.regions) ordered.push_back(Advance(graph, region.nodes));
  std::size_t next = 0;
  for (graph::Region& region : graph.regions) region.nodes = std::move(ordered[next++]);
  return graph;
}

}  // namespace stencilgen::passes
