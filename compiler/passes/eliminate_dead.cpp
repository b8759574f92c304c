#include "passes/eliminate_dead.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "graph/liveness.h"
#include "graph/walk.h"
#include "support/match.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

/// Ids of a store, old to new, given out in the order in which they are asked for.
template <typename IdT>
class Renumbering {
 public:
  explicit Renumbering(std::size_t size) : to_(size) {}
  bool Has(IdT old) const { return to_[old.index].Valid(); }
  IdT operator[](IdT old) const { return to_[old.index]; }
  void Set(IdT old, IdT fresh) { to_[old.index] = fresh; }

 private:
  std::vector<IdT> to_;
};

/// Copies what is needed of a graph into a new one, in the old order.
class LivePart {
 public:
  explicit LivePart(Graph graph)
      : old_(std::move(graph)),
        needs_(FindNeeds(old_)),
        arrays_(old_.arrays.size()),
        versions_(old_.versions.size()),
        exprs_(old_.exprs.size()) {}

  Graph Take() {
    new_.name = old_.name;
    new_.iterators = old_.iterators;
    new_.parameters = old_.parameters;
    new_.unroll_wishes = old_.unroll_wishes;
    new_.wanted = old_.wanted;
    KeepArrays();
    KeepVersions();
    new_.root = CopyRegion(old_.root);
    for (const Output& output : old_.outputs) {
      new_.outputs.push_back({arrays_[output.array], versions_[output.version]});
    }
    return std::move(new_);
  }

 private:
  bool Needed(VersionId version) const { return needs_[version.index].needed; }
  bool Lives(const Carried& carried) const {
    return Needed(carried.result) || Needed(carried.entry);
  }
  bool Lives(const Node& node) const {
    return Match(
        node, [&](const Operator& op) { return Needed(op.result); },
        [&](const Loop& loop) {
          return std::any_of(loop.carried.begin(), loop.carried.end(),
                             [&](const Carried& carried) { return Needed(carried.result); });
        });
  }

  /// Whether some live node defines or begins with it, for versions nobody reads: the result of a
  /// loop of which only the body's reads count, and the beginnings of program-level arrays.
  std::vector<bool> FindKept() const {
    std::vector<bool> kept(old_.versions.size(), false);
    for (const VersionId id : old_.versions.Ids()) {
      const Version& version = old_.versions[id];
      const bool beginning = version.def == DefKind::Initial && !old_.arrays[version.array].local;
      kept[id.index] = beginning || Needed(id);
    }
    KeepCarried(old_.root, kept);
    return kept;
  }

  void KeepCarried(RegionId region, std::vector<bool>& kept) const {
    for (const NodeId id : old_.regions[region].nodes) {
      const auto* loop = std::get_if<Loop>(&old_.nodes[id]);
      if (loop == nullptr || !Lives(old_.nodes[id])) continue;
      for (const Carried& carried : loop->carried) {
        if (!Lives(carried)) continue;
        for (const VersionId version :
             {carried.initial, carried.entry, carried.next, carried.result}) {
          kept[version.index] = true;
        }
      }
      KeepCarried(loop->body, kept);
    }
  }

  void KeepArrays() {
    kept_versions_ = FindKept();
    std::vector<bool> used(old_.arrays.size(), false);
    for (const VersionId id : old_.versions.Ids()) {
      if (kept_versions_[id.index]) used[old_.versions[id].array.index] = true;
    }
    for (const ArrayId id : old_.arrays.Ids()) {
      if (!old_.arrays[id].local || used[id.index]) {
        arrays_.Set(id, new_.arrays.Add(old_.arrays[id]));
      }
    }
  }

  void KeepVersions() {
    for (const VersionId id : old_.versions.Ids()) {
      if (!kept_versions_[id.index]) continue;
      Version version = old_.versions[id];
      version.array = arrays_[version.array];
      version.node = NodeId{};  // set by its definition
      versions_.Set(id, new_.versions.Add(version));
    }
  }

  RegionId CopyRegion(RegionId old_region) {
    Region region;
    for (const NodeId id : old_.regions[old_region].nodes) {
      const Node& node = old_.nodes[id];
      if (!Lives(node)) continue;
      region.nodes.push_back(Match(
          node, [&](const Operator& op) { return CopyOperator(op); },
          [&](const Loop& loop) { return CopyLoop(loop); }));
    }
    return new_.regions.Add(std::move(region));
  }

  NodeId CopyOperator(Operator op) {
    op.result = versions_[op.result];
    // What nobody needs, this operator does not pass on.
    if (op.background.Valid()) {
      op.background = Needed(op.background) ? versions_[op.background] : VersionId{};
    }
    for (Let& let : op.lets) let.value = CopyExpr(let.value);
    op.value = CopyExpr(op.value);
    const VersionId result = op.result;
    const NodeId id = new_.nodes.Add(std::move(op));
    new_.versions[result].node = id;
    return id;
  }

  NodeId CopyLoop(const Loop& old_loop) {
    Loop loop{old_loop.turns, {}, {}, old_loop.span, old_loop.turn, old_loop.stop};
    if (loop.stop) loop.stop->condition = versions_[loop.stop->condition];
    if (old_loop.unless.Valid()) loop.unless = versions_[old_loop.unless];
    for (const Carried& carried : old_loop.carried) {
      if (!Lives(carried)) continue;
      loop.carried.push_back({arrays_[carried.array], versions_[carried.initial],
                              versions_[carried.entry], versions_[carried.next],
                              versions_[carried.result]});
    }
    loop.body = CopyRegion(old_loop.body);
    const std::vector<Carried> carried_versions = loop.carried;
    const NodeId id = new_.nodes.Add(std::move(loop));
    for (const Carried& carried : carried_versions) {
      new_.versions[carried.entry].node = id;
      new_.versions[carried.result].node = id;
    }
    return id;
  }

  /// Operands first, without recursion: long sums make deep trees.
  ExprId CopyExpr(ExprId root) {
    std::vector<ExprId> pending = {root};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      if (exprs_.Has(id)) {
        pending.pop_back();
        continue;
      }
      const std::vector<ExprId> operands = Operands(old_.exprs[id]);
      const std::size_t before = pending.size();
      std::copy_if(operands.rbegin(), operands.rend(), std::back_inserter(pending),
                   [&](ExprId operand) { return !exprs_.Has(operand); });
      if (pending.size() > before) continue;
      pending.pop_back();
      exprs_.Set(id, new_.exprs.Add(Renumbered(old_.exprs[id])));
    }
    return exprs_[root];
  }

  Expr Renumbered(Expr expr) const {
    if (auto* access = std::get_if<Access>(&expr.node)) {
      access->version = versions_[access->version];
    }
    ReplaceOperands(expr, [&](ExprId operand) { return exprs_[operand]; });
    return expr;
  }

  const Graph old_;
  const std::vector<Need> needs_;
  Graph new_;
  std::vector<bool> kept_versions_;
  Renumbering<ArrayId> arrays_;
  Renumbering<VersionId> versions_;
  Renumbering<ExprId> exprs_;
};

}  // namespace

Graph EliminateDead(Graph graph) {
  return LivePart(std::move(graph)).Take();
}

}  // namespace stencilgen::passes
