#include "passes/split_looks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "graph/copy_nodes.h"
#include "graph/nodes.h"
#include "graph/walk.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

/// Fewer make no time tile.
constexpr std::int64_t kFewestTurnsBetween = 2;

/// What the turns of a loop compute for each other, as operators of its body; nothing of that is
/// computed for its condition alone.
class NeededByTurns {
 public:
  /// Requires: the body has operators alone.
  NeededByTurns(const Graph& graph, const Loop& loop) : graph_(graph), loop_(loop) {
    for (const Carried& carried : loop.carried) nexts_[carried.entry] = carried.next;
    // A turn that looks computes all of the body.
    for (const NodeId node : graph.regions[loop.body].nodes) NeedReads(OperatorOf(graph, node));
    for (const Carried& carried : loop.carried) NeedEntry(carried.next);
  }

  std::set<NodeId> Find() {
    while (!pending_.empty()) {
      const VersionId version = pending_.back();
      pending_.pop_back();
      NeedEntry(version);
      const Version& info = graph_.versions[version];
      const auto& body = graph_.regions[loop_.body].nodes;
      if (info.def != DefKind::Operator ||
          std::find(body.begin(), body.end(), info.node) == body.end()) {
        continue;
      }
      const Operator& op = OperatorOf(graph_, info.node);
      if (!needed_.insert(info.node).second) continue;
      NeedReads(op);
      for (const ExprId id : Accesses(graph_, op)) Need(VersionOf(id));
      if (op.background.Valid()) Need(op.background);
    }
    return needed_;
  }

 private:
  VersionId VersionOf(ExprId access) const {
    return std::get<Access>(graph_.exprs[access].node).version;
  }
  void Need(VersionId version) { pending_.push_back(version); }
  /// What the turn before leaves in its place.
  void NeedEntry(VersionId version) {
    const auto found = nexts_.find(version);
    if (found == nexts_.end()) return;
    Need(found->second);
    nexts_.erase(found);
  }
  void NeedReads(const Operator& op) {
    for (const ExprId id : Accesses(graph_, op)) NeedEntry(VersionOf(id));
    if (op.background.Valid()) NeedEntry(op.background);
  }

  const Graph& graph_;
  const Loop& loop_;
  std::map<VersionId, VersionId> nexts_;  // by entry; those that nobody has needed yet
  std::vector<VersionId> pending_;
  std::set<NodeId> needed_;
};

class LookSplitter {
 public:
  explicit LookSplitter(Graph graph) : graph_(std::move(graph)), next_group_(NextGroup(graph_)) {}

  Graph Run() && {
    VisitRegion(graph_.root);
    return std::move(graph_);
  }

 private:
  void VisitRegion(RegionId region) {
    std::vector<NodeId> nodes;
    for (const NodeId node : std::vector<NodeId>(graph_.regions[region].nodes)) {
      const auto* loop = std::get_if<Loop>(&graph_.nodes[node]);
      if (loop != nullptr && Gains(*loop)) {
        const std::vector<NodeId> parts = Split(node);
        nodes.insert(nodes.end(), parts.begin(), parts.end());
        continue;
      }
      nodes.push_back(node);
      if (loop != nullptr) VisitRegion(loop->body);
    }
    graph_.regions[region].nodes = std::move(nodes);
  }

  bool Gains(const Loop& loop) const {
    if (!loop.stop || loop.turn.Valid() || !loop.stop->every.IsConstant()) return false;
    if (loop.stop->every.constant <= kFewestTurnsBetween) return false;
    const std::vector<NodeId>& body = graph_.regions[loop.body].nodes;
    const auto is_operator = [&](NodeId node) {
      return std::holds_alternative<Operator>(graph_.nodes[node]);
    };
    if (!std::all_of(body.begin(), body.end(), is_operator)) return false;
    const std::set<NodeId> needed = NeededByTurns(graph_, loop).Find();
    return !needed.empty() && std::none_of(needed.begin(), needed.end(), [&](NodeId node) {
      return OperatorOf(graph_, node).reduction.has_value();
    });
  }

  /// Returns what is in the loop's place.
  std::vector<NodeId> Split(NodeId node) {
    const Loop old = LoopOf(graph_, node);
    const std::int64_t every = old.stop->every.constant;
    if (old.turns.count.IsConstant() && old.turns.count.constant < every) {
      LoopOf(graph_, node).stop.reset();  // it is never looked at
      return {node};
    }
    Loop main = old;
    main.turns.divisor = every;
    main.stop->every = LinearForm::Constant(1);
    if (AlwaysMultiple(old.turns.count, every)) {
      FillPeriod(main, old);
      graph_.nodes[node] = std::move(main);
      return {node};
    }
    // Whether the condition has held leaves the loop as what it carries.
    const ArrayId done = graph_.versions[old.stop->condition].array;
    const NodeId before = AddFalse(old.stop->condition);
    for (Carried& carried : main.carried) carried.result = AddResult(carried.array, node);
    FillPeriod(main, old);
    main.carried.push_back({done, OperatorOf(graph_, before).result,
                            graph_.versions.Add({done, DefKind::LoopEntry, node}),
                            main.stop->condition, AddResult(done, node)});
    Loop rest;
    rest.turns = {old.turns.count, every, true};
    rest.unless = main.carried.back().result;
    for (std::size_t k = 0; k < old.carried.size(); ++k) {
      rest.carried.push_back(
          {old.carried[k].array, main.carried[k].result, {}, {}, old.carried[k].result});
    }
    graph_.nodes[node] = std::move(main);
    return {before, node, AddTurns(std::move(rest), old)};
  }

  /// Turns up to one that looks, and that one.
  void FillPeriod(Loop& main, const Loop& old) {
    Loop between;
    between.turns.count = LinearForm::Constant(old.stop->every.constant - 1);
    for (const Carried& carried : main.carried) {
      between.carried.push_back(
          {carried.array, carried.entry, {}, {}, AddResult(carried.array, {})});
    }
    const std::vector<Carried> carried = between.carried;
    std::vector<NodeId> nodes = {AddTurns(std::move(between), old)};
    std::map<VersionId, VersionId> renamed;
    for (const Carried& each : carried) renamed[each.initial] = each.result;
    NodeCopier copier(graph_, std::move(renamed), &next_group_);
    const std::vector<NodeId> last =
        copier.Copy(std::vector<NodeId>(graph_.regions[old.body].nodes));
    nodes.insert(nodes.end(), last.begin(), last.end());
    for (Carried& each : main.carried) each.next = copier.Renamed(each.next);
    main.stop->condition = copier.Renamed(old.stop->condition);
    main.body = graph_.regions.Add({std::move(nodes)});
  }

  /// Adds the loop with the old one's body but for its condition, carrying what that one does from
  /// its `initial` to its `result`.
  NodeId AddTurns(Loop loop, const Loop& old) {
    const NodeId node = graph_.nodes.Add(Loop{});
    std::map<VersionId, VersionId> entries;
    for (std::size_t k = 0; k < loop.carried.size(); ++k) {
      Carried& carried = loop.carried[k];
      carried.entry = graph_.versions.Add({carried.array, DefKind::LoopEntry, node});
      entries[old.carried[k].entry] = carried.entry;
      graph_.versions[carried.result].node = node;
    }
    NodeCopier copier(graph_, std::move(entries), &next_group_);
    std::vector<NodeId> body = graph_.regions[old.body].nodes;
    body.pop_back();
    loop.body = graph_.regions.Add({copier.Copy(body)});
    for (std::size_t k = 0; k < loop.carried.size(); ++k) {
      loop.carried[k].next = copier.Renamed(old.carried[k].next);
    }
    loop.span = old.span;
    graph_.nodes[node] = std::move(loop);
    return node;
  }

  VersionId AddResult(ArrayId array, NodeId node) {
    return graph_.versions.Add({array, DefKind::LoopResult, node});
  }

  /// The condition before it is looked at for the first time.
  NodeId AddFalse(VersionId condition) {
    Operator op = OperatorOf(graph_, graph_.versions[condition].node);
    op.lets.clear();
    op.value = graph_.exprs.Add({Literal{}, ScalarType::Bool, op.span});
    op.group = next_group_++;
    op.result = graph_.versions.Add({graph_.versions[condition].array, DefKind::Operator, {}});
    const VersionId result = op.result;
    const NodeId node = graph_.nodes.Add(std::move(op));
    graph_.versions[result].node = node;
    return node;
  }

  Graph graph_;
  int next_group_;
};

}  // namespace

Graph SplitLooks(Graph graph) {
  return LookSplitter(std::move(graph)).Run();
}

}  // namespace stencilgen::passes
