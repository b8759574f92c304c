#include "graph/loop_builder.h"

#include <utility>

namespace stencilgen::graph {

LoopBuilder::LoopBuilder(Graph& graph, LinearForm count, Span span, ParameterId turn)
    : graph_(graph) {
  loop_.turns.count = std::move(count);
  loop_.span = span;
  loop_.turn = turn;
}

VersionId LoopBuilder::Carry(ArrayId array, VersionId initial) {
  const VersionId entry = graph_.versions.Add({array, DefKind::LoopEntry, {}});
  loop_.carried.push_back({array, initial, entry, {}, {}});
  return entry;
}

NodeId LoopBuilder::Close(std::vector<NodeId> body, std::vector<VersionId>& present) {
  loop_.body = graph_.regions.Add({std::move(body)});
  for (Carried& carried : loop_.carried) {
    carried.next = present[carried.array.index];
    carried.result = graph_.versions.Add({carried.array, DefKind::LoopResult, {}});
    present[carried.array.index] = carried.result;
  }
  const NodeId node = graph_.nodes.Add(loop_);
  for (const Carried& carried : loop_.carried) {
    graph_.versions[carried.entry].node = node;
    graph_.versions[carried.result].node = node;
  }
  return node;
}

}  // namespace stencilgen::graph
