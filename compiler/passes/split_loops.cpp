#include "passes/split_loops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/nodes.h"
#include "graph/pointwise_loops.h"

namespace stencilgen::passes {
namespace {

using graph::Carried;
using graph::Graph;
using graph::Loop;
using graph::NodeId;
using graph::Operator;
using graph::RegionId;

bool MaySplit(const Graph& graph, const Loop& loop) {
  const std::vector<NodeId>& body = graph.regions[loop.body].nodes;
  if (loop.stop || body.size() < 2 || body.size() != loop.carried.size()) return false;
  return std::all_of(body.begin(), body.end(), [&](NodeId node) {
    const auto* op = std::get_if<Operator>(&graph.nodes[node]);
    return op != nullptr && graph::IsPointwise(graph, loop, *op);
  });
}

/// The operator with what is carried for it in a loop of its own; the first keeps the old one.
void MoveTo(Graph& graph, NodeId node, const Loop& old, NodeId op, RegionId body) {
  Loop loop = old;
  loop.body = body;
  const graph::VersionId result = graph::OperatorOf(graph, op).result;
  loop.carried.erase(std::remove_if(loop.carried.begin(), loop.carried.end(),
                                    [&](const Carried& each) { return each.next != result; }),
                     loop.carried.end());
  for (const Carried& carried : loop.carried) {
    graph.versions[carried.entry].node = node;
    graph.versions[carried.result].node = node;
  }
  graph.nodes[node] = std::move(loop);
}

void SplitRegion(Graph& graph, RegionId region) {
  std::vector<NodeId> nodes;
  for (const NodeId node : std::vector<NodeId>(graph.regions[region].nodes)) {
    nodes.push_back(node);
    const auto* found = std::get_if<Loop>(&graph.nodes[node]);
    if (found == nullptr) continue;
    const Loop loop = *found;
    if (!MaySplit(graph, loop)) {
      SplitRegion(graph, loop.body);
      continue;
    }
    const std::vector<NodeId> body = graph.regions[loop.body].nodes;
    for (std::size_t k = 0; k < body.size(); ++k) {
      const RegionId own = k == 0 ? loop.body : graph.regions.Add({});
      graph.regions[own].nodes = {body[k]};
      const NodeId to = k == 0 ? node : graph.nodes.Add(loop);
      MoveTo(graph, to, loop, body[k], own);
      if (k > 0) nodes.push_back(to);
    }
  }
  graph.regions[region].nodes = std::move(nodes);
}

}  // namespace

Graph SplitLoops(Graph graph) {
  SplitRegion(graph, graph.root);
  return graph;
}

}  // namespace stencilgen::passes
