#include "plan/version_uses.h"

#include "plan/operator_facts.h"
#include "support/match.h"

namespace stencilgen::plan {
namespace {

using graph::Loop;
using graph::NodeId;
using graph::Operator;
using graph::RegionId;
using graph::VersionId;

class Walker {
 public:
  explicit Walker(const graph::Graph& graph) : graph_(graph) {
    const std::size_t versions = graph.versions.size();
    result_.owner.assign(versions, graph.root);
    result_.last_use.assign(versions, VersionUses::kNever);
    result_.uses_at_last.assign(versions, 0);
    result_.contents_used.assign(versions, false);
    result_.position.assign(graph.nodes.size(), 0);
    result_.dying.resize(graph.nodes.size());
    depth_.assign(versions, 0);
  }

  VersionUses Run() && {
    VisitRegion(graph_.root);
    for (const graph::Output& output : graph_.outputs) UseAtEnd(output.version);
    ListDying();
    return std::move(result_);
  }

 private:
  void VisitRegion(RegionId region) {
    places_.push_back(0);
    for (NodeId node : graph_.regions[region].nodes) {
      result_.position[node.index] = places_.back();
      Match(
          graph_.nodes[node], [&](const Operator& op) { VisitOperator(op, region); },
          [&](const Loop& loop) { VisitLoop(loop, region); });
      ++places_.back();
    }
    places_.pop_back();
  }

  void VisitOperator(const Operator& op, RegionId region) {
    Own(op.result, region);
    for (graph::ExprId access : graph::Accesses(graph_, op)) {
      Use(std::get<graph::Access>(graph_.exprs[access].node).version, true);
    }
    if (op.background.Valid()) Use(op.background, !CoversArray(graph_, op));
  }

  void VisitLoop(const Loop& loop, RegionId region) {
    if (loop.unless.Valid()) Use(loop.unless, true);
    for (const graph::Carried& carried : loop.carried) {
      Use(carried.initial, false);
      Own(carried.result, region);
    }
    places_.push_back(-1);
    for (const graph::Carried& carried : loop.carried) Own(carried.entry, loop.body);
    places_.pop_back();
    VisitRegion(loop.body);
    if (loop.stop) UseAtEnd(loop.stop->condition);
    places_.push_back(-1);
    for (const graph::Carried& carried : loop.carried) {
      // A version from outside the loop that is carried out of it is used at the loop's place.
      if (result_.owner[carried.next.index] == loop.body)
        UseAtEnd(carried.next);
      else
        Use(carried.next, true);
    }
    places_.pop_back();
    // The result where there is no turn; else only what the first one needs.
    const bool runs = !loop.unless.Valid() && loop.turns == graph::Turns{loop.turns.count} &&
                      AlwaysNonNegative(loop.turns.count - 1);
    for (const graph::Carried& carried : loop.carried) {
      const bool used = !runs || result_.contents_used[carried.entry.index];
      if (used) result_.contents_used[carried.initial.index] = true;
    }
  }

  void Own(VersionId version, RegionId region) {
    result_.owner[version.index] = region;
    depth_[version.index] = places_.size() - 1;
  }
  void Use(VersionId version, bool contents) {
    const int place = places_[depth_[version.index]];
    int& last = result_.last_use[version.index];
    int& count = result_.uses_at_last[version.index];
    if (contents) result_.contents_used[version.index] = true;
    if (last == VersionUses::kLiveOut) return;
    count = last == place ? count + 1 : 1;
    last = place;
  }
  void UseAtEnd(VersionId version) {
    result_.last_use[version.index] = VersionUses::kLiveOut;
    result_.contents_used[version.index] = true;
  }

  void ListDying() {
    for (VersionId version : graph_.versions.Ids()) {
      const int last = result_.last_use[version.index];
      const NodeId definition = graph_.versions[version].node;
      const RegionId owner = result_.owner[version.index];
      if (last >= 0 && last != VersionUses::kLiveOut) {
        result_.dying[graph_.regions[owner].nodes[last].index].push_back(version);
      } else if (last == VersionUses::kNever && definition.Valid() &&
                 graph_.versions[version].def != graph::DefKind::LoopEntry) {
        result_.dying[definition.index].push_back(version);
      }
    }
  }

  const graph::Graph& graph_;
  VersionUses result_;
  std::vector<int> places_;         ///< the current place in each region around
  std::vector<std::size_t> depth_;  ///< by version: which of `places_` is its owner's
};

}  // namespace

VersionUses FindVersionUses(const graph::Graph& graph) {
  return Walker(graph).Run();
}

}  // namespace stencilgen::plan
