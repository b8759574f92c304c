#include "passes/hoist_scalars.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/turns.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

class Hoister {
 public:
  explicit Hoister(Graph graph) : graph_(std::move(graph)) {}

  Graph Take() {
    Hoist(graph_.root);
    return std::move(graph_);
  }

 private:
  /// Moves what may leave the loops of the region, the inner ones first.
  void Hoist(RegionId region) {
    std::vector<NodeId> nodes;
    for (const NodeId id : graph_.regions[region].nodes) {
      if (const auto* loop = std::get_if<Loop>(&graph_.nodes[id])) {
        Hoist(loop->body);
        for (const NodeId moved : TakeInvariants(id)) nodes.push_back(moved);
      }
      nodes.push_back(id);
    }
    graph_.regions[region].nodes = std::move(nodes);
  }

  std::vector<NodeId> TakeInvariants(NodeId id) {
    const Loop& loop = std::get<Loop>(graph_.nodes[id]);
    std::vector<NodeId>& body = graph_.regions[loop.body].nodes;
    std::vector<bool> changes(graph_.versions.size(), false);
    MarkChanges(id, changes);
    std::vector<NodeId> moved, kept;
    for (const NodeId node : body) {
      auto* op = std::get_if<Operator>(&graph_.nodes[node]);
      const bool invariant = op != nullptr && IsInvariant(*op, loop, changes);
      if (invariant) {
        changes[op->result.index] = false;
        op->background = VersionId{};  // nothing is left of a scalar that is set
      }
      (invariant ? moved : kept).push_back(node);
    }
    body = std::move(kept);
    return moved;
  }

  /// Versions that turns of the loop make anew.
  void MarkChanges(NodeId id, std::vector<bool>& changes) const {
    const Loop& loop = std::get<Loop>(graph_.nodes[id]);
    for (const Carried& carried : loop.carried) changes[carried.entry.index] = true;
    for (const NodeId node : graph_.regions[loop.body].nodes) {
      if (const auto* op = std::get_if<Operator>(&graph_.nodes[node])) {
        changes[op->result.index] = true;
        continue;
      }
      MarkChanges(node, changes);
      for (const Carried& carried : std::get<Loop>(graph_.nodes[node]).carried) {
        changes[carried.result.index] = true;
      }
    }
  }

  bool IsInvariant(const Operator& op, const Loop& loop, const std::vector<bool>& changes) const {
    const bool scalar = graph_.arrays[graph_.versions[op.result].array].rank() == 0;
    if (!scalar || op.reduction || !op.domain.guards.empty()) return false;
    if (loop.turn.Valid() && TurnsUsed(graph_, op).count(loop.turn) > 0) return false;
    if (loop.stop && loop.stop->condition == op.result) return false;
    for (const Carried& carried : loop.carried) {
      if (carried.next == op.result) return false;  // before the first turn it is another one
    }
    const std::vector<ExprId> accesses = Accesses(graph_, op);
    return std::none_of(accesses.begin(), accesses.end(), [&](ExprId access) {
      return changes[std::get<Access>(graph_.exprs[access].node).version.index];
    });
  }

  Graph graph_;
};

}  // namespace

Graph HoistScalars(Graph graph) {
  return Hoister(std::move(graph)).Take();
}

}  // namespace stencilgen::passes
