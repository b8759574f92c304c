#include "graph/liveness.h"

#include <algorithm>

#include "graph/regions.h"
#include "graph/turns.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

class NeedFinder {
 public:
  explicit NeedFinder(const Graph& graph) : graph_(graph), needs_(graph.versions.size()) {}

  std::vector<Need> Find() {
    for (const Output& output : graph_.outputs) AddAll(output.version);
    VisitRegion(graph_.root);
    return std::move(needs_);
  }

 private:
  const Array& ArrayOf(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }

  Box RegionOf(VersionId version) const {
    const Need& need = needs_[version.index];
    return need.region.empty() ? WholeArray(ArrayOf(version)) : need.region;
  }

  void AddAll(VersionId version) { needs_[version.index] = {true, {}}; }

  /// True where this is news.
  bool Add(VersionId version, const Need& more) {
    Need& need = needs_[version.index];
    if (!more.needed || (need.needed && need.region.empty())) return false;
    if (!need.needed) {
      need = more;
      return true;
    }
    if (more.region.empty()) {
      AddAll(version);
      return true;
    }
    const Box limit = WholeArray(ArrayOf(version));
    Box hull;
    bool grows = false;
    for (std::size_t d = 0; d < limit.size(); ++d) {
      grows = grows || !AlwaysContains(need.region[d], more.region[d]);
      hull.push_back(Hull(need.region[d], more.region[d], limit[d]));
    }
    if (grows) need.region = std::move(hull);
    return grows;
  }

  void AddBox(VersionId version, Box box) {
    const Box whole = WholeArray(ArrayOf(version));
    const bool all = std::equal(
        box.begin(), box.end(), whole.begin(),
        [](const Interval& part, const Interval& extent) { return AlwaysContains(part, extent); });
    if (all) box.clear();
    Add(version, {true, std::move(box)});
  }

  void VisitRegion(RegionId region) {
    const std::vector<NodeId>& nodes = graph_.regions[region].nodes;
    for (const NodeId id : std::vector<NodeId>(nodes.rbegin(), nodes.rend())) {
      Match(
          graph_.nodes[id], [&](const Operator& op) { VisitOperator(op); },
          [&](const Loop& loop) { VisitLoop(loop); });
    }
  }

  void VisitOperator(const Operator& op) {
    if (!needs_[op.result.index].needed) return;
    if (op.background.Valid()) VisitBackground(op);
    // Also where the domain is empty: an operator that stays keeps the versions it names.
    for (const ExprId id : Accesses(graph_, op)) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      AddBox(access.version, ReadBox(op, access, ArrayOf(access.version)));
    }
  }

  void VisitBackground(const Operator& op) {
    const Box region = RegionOf(op.result);
    if (!WritesWholeBox(op)) {
      Add(op.background, needs_[op.result.index]);
      return;
    }
    for (Box& box : Remainder(region, WrittenBox(op))) {
      if (std::none_of(box.begin(), box.end(), AlwaysEmpty)) AddBox(op.background, std::move(box));
    }
  }

  /// What an iteration needs at its start, the one before it needs at its end: the body is visited
  /// until that adds nothing. A carried version that grows once more is taken whole, so that every
  /// visit but the last settles one.
  void VisitLoop(const Loop& loop) {
    const bool live =
        std::any_of(loop.carried.begin(), loop.carried.end(),
                    [&](const Carried& carried) { return needs_[carried.result.index].needed; });
    if (!live) return;
    if (loop.stop) AddAll(loop.stop->condition);
    if (loop.unless.Valid()) AddAll(loop.unless);
    for (const Carried& carried : loop.carried) Add(carried.next, OfAnyTurn(carried.result));
    for (bool again = true; again;) {
      VisitRegion(loop.body);
      again = false;
      for (const Carried& carried : loop.carried) {
        const Need entry = OfAnyTurn(carried.entry);
        const bool first = !needs_[carried.next.index].needed;
        if (!Add(carried.next, entry)) continue;
        if (!first) AddAll(carried.next);
        again = true;
      }
    }
    for (const Carried& carried : loop.carried) {
      Add(carried.initial, OfAnyTurn(carried.entry));
      // No turn leaves the beginning as the result.
      Add(carried.initial, OfAnyTurn(carried.result));
    }
  }

  /// What is needed of a version in this turn or another one: places that depend on the turn may be
  /// anywhere.
  Need OfAnyTurn(VersionId version) const {
    Need need = needs_[version.index];
    if (need.region.empty()) return need;
    const Box whole = WholeArray(ArrayOf(version));
    for (std::size_t d = 0; d < whole.size(); ++d) {
      if (HasTurn(need.region[d])) need.region[d] = whole[d];
    }
    return need;
  }

  const Graph& graph_;
  std::vector<Need> needs_;  // by version
};

}  // namespace

std::vector<Need> FindNeeds(const Graph& graph) {
  return NeedFinder(graph).Find();
}

}  // namespace stencilgen::graph
