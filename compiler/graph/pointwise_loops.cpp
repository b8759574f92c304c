#include "graph/pointwise_loops.h"

#include <algorithm>
#include <set>

#include "graph/nodes.h"
#include "graph/turns.h"

namespace stencilgen::graph {
namespace {

/// True where each dimension is another iterator, and each iterator a dimension.
bool WritesOwnElement(const Operator& op) {
  std::set<int> seen;
  for (const Index& index : op.target) {
    if (!IsPlain(index) || !seen.insert(index.iterator).second) return false;
  }
  return !seen.empty() && seen.size() == op.iterators.size();
}

const Carried* FindCarried(const Loop& loop, VersionId next) {
  const auto at = std::find_if(loop.carried.begin(), loop.carried.end(),
                               [&](const Carried& each) { return each.next == next; });
  return at == loop.carried.end() ? nullptr : &*at;
}

/// True where the loop runs all its turns, one after the other from 0 on, and how many there are
/// depends on no loop around it.
bool CountsPlainly(const Loop& loop) {
  return !loop.stop && !loop.unless.Valid() && loop.turns == Turns{loop.turns.count} &&
         !HasTurn(loop.turns.count);
}

}  // namespace

bool IsPointwise(const Graph& graph, const Loop& loop, const Operator& op) {
  const Carried* own = FindCarried(loop, op.result);
  if (own == nullptr || op.background != own->entry || op.reduction) return false;
  if (!WritesOwnElement(op) || WritesByTurn(op)) return false;
  const std::vector<ExprId> accesses = Accesses(graph, op);
  return std::all_of(accesses.begin(), accesses.end(), [&](ExprId id) {
    const auto& access = std::get<Access>(graph.exprs[id].node);
    if (access.version == own->entry) {
      return access.indices == op.target && access.boundary.empty();
    }
    const Version& version = graph.versions[access.version];
    // What other operators of the body make, and what the loop carries besides.
    const auto& body = graph.regions[loop.body].nodes;
    return std::find(body.begin(), body.end(), version.node) == body.end() &&
           std::none_of(loop.carried.begin(), loop.carried.end(),
                        [&](const Carried& each) { return each.entry == access.version; });
  });
}

std::optional<PointwiseLoop> FindPointwiseLoop(const Graph& graph, NodeId node) {
  PointwiseLoop found;
  for (;;) {
    const Loop& loop = LoopOf(graph, node);
    if (!CountsPlainly(loop) || loop.carried.size() != 1) return std::nullopt;
    found.loops.push_back(node);
    const std::vector<NodeId>& body = graph.regions[loop.body].nodes;
    if (body.size() != 1) return std::nullopt;
    node = body.front();
    const auto* inner = std::get_if<Loop>(&graph.nodes[node]);
    if (inner == nullptr) break;
    if (inner->carried.size() != 1 ||
        inner->carried.front().initial != loop.carried.front().entry ||
        inner->carried.front().result != loop.carried.front().next) {
      return std::nullopt;
    }
  }
  found.op = node;
  const Operator& op = OperatorOf(graph, node);
  for (const NodeId each : found.loops) {
    // What a loop further out carries is read by nobody but the next loop.
    const VersionId entry = LoopOf(graph, each).carried.front().entry;
    found.entry = entry;
    if (each == found.loops.back()) break;
    const std::vector<ExprId> accesses = Accesses(graph, op);
    const bool reads = std::any_of(accesses.begin(), accesses.end(), [&](ExprId id) {
      return std::get<Access>(graph.exprs[id].node).version == entry;
    });
    if (reads) return std::nullopt;
  }
  if (!IsPointwise(graph, LoopOf(graph, found.loops.back()), op)) return std::nullopt;
  return found;
}

}  // namespace stencilgen::graph
