#include "graph/split_turns.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "graph/copy_nodes.h"

namespace stencilgen::graph {
namespace {

using Renaming = std::map<VersionId, VersionId>;

class TurnSplitter {
 public:
  TurnSplitter(Graph& graph, const PeriodicParts& periodic, int* next_group)
      : graph_(graph),
        periodic_(periodic),
        next_group_(next_group),
        old_(std::get<Loop>(graph.nodes[periodic.loop])),
        body_(graph.regions[old_.body].nodes),
        parts_(periodic.parts.begin(), periodic.parts.end()) {
    for (const NodeId part : periodic.parts) {
      for (const Carried& carried : PartAt(part).carried)
        part_of_[carried.result] = carried.initial;
    }
    for (const Carried& carried : old_.carried) {
      stays_.push_back(BeforeParts(carried.next) == carried.entry);
    }
  }

  void Run() {
    const LinearForm& count = old_.turns.count;
    if (count.IsConstant() && count.constant < periodic_.period) return DropParts();
    const std::optional<Renaming> after = AfterInner();
    const std::int64_t turns = periodic_.period - (after ? 0 : 1);
    Loop main = old_;
    main.turns.divisor = periodic_.period;
    main.turn = periodic_.execution;
    std::vector<NodeId> nodes;
    std::vector<VersionId> results = Entries();
    if (turns > 0) nodes.push_back(AddInner(turns, results));

    // What the turns before leave, in the place of what the last one begins with or has made.
    Renaming renamed;
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (stays_[k]) continue;
      renamed[after ? BeforeParts(old_.carried[k].next) : old_.carried[k].entry] = results[k];
    }
    NodeCopier copier(graph_, std::move(renamed), next_group_, TurnAt(periodic_.period - 1));
    for (const NodeId node : body_) {
      const bool part = parts_.count(node) > 0;
      if (after && !part) continue;
      const std::vector<NodeId> copies = part ? Inline(node, copier) : copier.Copy({node});
      nodes.insert(nodes.end(), copies.begin(), copies.end());
    }
    for (Carried& carried : main.carried) carried.next = copier.Renamed(carried.next);
    graph_.regions[main.body].nodes = std::move(nodes);
    if (!AlwaysMultiple(old_.turns.count, periodic_.period)) AddRest(main);
    graph_.nodes[periodic_.loop] = std::move(main);
  }

 private:
  const Loop& PartAt(NodeId part) const { return std::get<Loop>(graph_.nodes[part]); }

  /// The version that stands where no part has run.
  VersionId BeforeParts(VersionId version) const {
    for (auto at = part_of_.find(version); at != part_of_.end(); at = part_of_.find(version)) {
      version = at->second;
    }
    return version;
  }

  std::vector<VersionId> Entries() const {
    std::vector<VersionId> entries;
    for (const Carried& carried : old_.carried) entries.push_back(carried.entry);
    return entries;
  }

  /// The turn as the program counts it, in a period: at a place of it, or the loop's own turn.
  std::map<ParameterId, LinearForm> TurnAt(std::optional<std::int64_t> place) const {
    if (!old_.turn.Valid()) return {};
    const LinearForm first = LinearForm::Parameter(periodic_.execution) * periodic_.period;
    return {{old_.turn, place ? first + *place : first + LinearForm::Parameter(old_.turn)}};
  }

  /// Where the parts come last and read nothing else that the turn has made or found: by version
  /// that they may read, true. Empty where the last turn must stand by itself.
  std::optional<Renaming> AfterInner() const {
    const auto first = std::find_if(body_.begin(), body_.end(),
                                    [&](NodeId node) { return parts_.count(node) > 0; });
    if (std::any_of(first, body_.end(), [&](NodeId node) { return parts_.count(node) == 0; })) {
      return std::nullopt;
    }
    Renaming kept;
    std::set<VersionId> lost;
    for (std::size_t k = 0; k < stays_.size(); ++k) {
      if (!stays_[k]) lost.insert(old_.carried[k].entry);
    }
    for (const NodeId node : std::vector<NodeId>(body_.begin(), first)) AddMade(node, lost);
    for (std::size_t k = 0; k < stays_.size(); ++k) {
      const VersionId next = BeforeParts(old_.carried[k].next);
      if (!stays_[k] && kept.emplace(next, old_.carried[k].result).second) lost.erase(next);
    }
    const bool reads_lost =
        std::any_of(first, body_.end(), [&](NodeId node) { return ReadsAny(node, lost); });
    if (reads_lost) return std::nullopt;
    return kept;
  }

  void AddMade(NodeId node, std::set<VersionId>& made) const {
    if (const auto* op = std::get_if<Operator>(&graph_.nodes[node])) {
      made.insert(op->result);
      return;
    }
    for (const Carried& carried : std::get<Loop>(graph_.nodes[node]).carried) {
      made.insert(carried.result);
    }
  }

  bool ReadsAny(NodeId node, const std::set<VersionId>& versions) const {
    const auto is_one = [&](VersionId version) { return versions.count(version) > 0; };
    if (const auto* op = std::get_if<Operator>(&graph_.nodes[node])) {
      const std::vector<ExprId> accesses = Accesses(graph_, *op);
      return (op->background.Valid() && is_one(op->background)) ||
             std::any_of(accesses.begin(), accesses.end(), [&](ExprId id) {
               return is_one(std::get<Access>(graph_.exprs[id].node).version);
             });
    }
    const auto& loop = std::get<Loop>(graph_.nodes[node]);
    const std::vector<NodeId>& body = graph_.regions[loop.body].nodes;
    return std::any_of(loop.carried.begin(), loop.carried.end(),
                       [&](const Carried& carried) {
                         return is_one(carried.initial) || is_one(carried.next);
                       }) ||
           std::any_of(body.begin(), body.end(),
                       [&](NodeId inner) { return ReadsAny(inner, versions); });
  }

  std::vector<NodeId> CopyWithoutParts(NodeCopier& copier) {
    std::vector<NodeId> nodes;
    for (const NodeId each : body_) {
      if (parts_.count(each) == 0) {
        nodes.push_back(copier.Copy({each}).front());
        continue;
      }
      for (const Carried& carried : PartAt(each).carried) {
        copier.Rename(carried.result, copier.Renamed(carried.initial));
      }
    }
    return nodes;
  }

  /// The loop ends before a period does. (In no turn of it the turn is what it is for the parts.)
  void DropParts() {
    Loop loop = old_;
    NodeCopier copier(graph_, {}, next_group_);
    std::vector<NodeId> nodes = CopyWithoutParts(copier);
    for (Carried& carried : loop.carried) carried.next = copier.Renamed(carried.next);
    graph_.regions[loop.body].nodes = std::move(nodes);
    graph_.nodes[periodic_.loop] = std::move(loop);
  }

  /// A loop with the body but for the parts. It carries what the body changes: by carried array of
  /// the old loop, from `initial` to `results`.
  NodeId AddLoop(Turns turns, std::map<ParameterId, LinearForm> turn,
                 const std::vector<VersionId>& initial, const std::vector<VersionId>& results) {
    const NodeId node = graph_.nodes.Add(Loop{});
    Loop loop;
    loop.turns = std::move(turns);
    loop.span = old_.span;
    loop.turn = old_.turn;
    Renaming renamed;
    for (std::size_t k = 0; k < stays_.size(); ++k) {
      const Carried& carried = old_.carried[k];
      if (stays_[k]) {
        renamed[carried.entry] = initial[k];
        continue;
      }
      const VersionId entry = graph_.versions.Add({carried.array, DefKind::LoopEntry, node});
      loop.carried.push_back({carried.array, initial[k], entry, carried.next, {}});
      renamed[carried.entry] = entry;
    }
    NodeCopier copier(graph_, std::move(renamed), next_group_, std::move(turn));
    loop.body = graph_.regions.Add({CopyWithoutParts(copier)});
    std::size_t at = 0;
    for (std::size_t k = 0; k < stays_.size(); ++k) {
      if (stays_[k]) continue;
      Carried& carried = loop.carried[at++];
      carried.next = copier.Renamed(carried.next);
      carried.result = results[k];
      graph_.versions[carried.result].node = node;
    }
    graph_.nodes[node] = std::move(loop);
    return node;
  }

  /// `results` gets what it leaves.
  NodeId AddInner(std::int64_t turns, std::vector<VersionId>& results) {
    for (std::size_t k = 0; k < stays_.size(); ++k) {
      if (!stays_[k]) results[k] = AddResult(old_.carried[k].array);
    }
    return AddLoop(Turns{LinearForm::Constant(turns)}, TurnAt(std::nullopt), Entries(), results);
  }

  /// Of a loop that is made next.
  VersionId AddResult(ArrayId array) {
    return graph_.versions.Add({array, DefKind::LoopResult, {}});
  }

  /// The part's body in its place.
  std::vector<NodeId> Inline(NodeId node, NodeCopier& copier) {
    const Loop part = PartAt(node);
    for (const Carried& carried : part.carried) {
      copier.Rename(carried.entry, copier.Renamed(carried.initial));
    }
    std::vector<NodeId> copies = copier.Copy(std::vector<NodeId>(graph_.regions[part.body].nodes));
    for (const Carried& carried : part.carried) {
      copier.Rename(carried.result, copier.Renamed(carried.next));
    }
    return copies;
  }

  /// The turns that the periods leave over. What they change they define anew for what follows.
  void AddRest(Loop& main) {
    Turns turns = old_.turns;
    turns.divisor = periodic_.period;
    turns.remainder = true;
    std::vector<VersionId> initial;
    std::vector<VersionId> results;
    for (std::size_t k = 0; k < stays_.size(); ++k) {
      Carried& carried = main.carried[k];
      results.push_back(carried.result);
      if (!stays_[k]) {
        carried.result = AddResult(carried.array);
        graph_.versions[carried.result].node = periodic_.loop;
      }
      initial.push_back(carried.result);
    }
    const NodeId rest = AddLoop(turns, {}, initial, results);
    for (Region& region : graph_.regions) {
      const auto found = std::find(region.nodes.begin(), region.nodes.end(), periodic_.loop);
      if (found == region.nodes.end()) continue;
      region.nodes.insert(found + 1, rest);
      return;
    }
  }

  Graph& graph_;
  const PeriodicParts& periodic_;
  int* next_group_;
  const Loop old_;
  const std::vector<NodeId> body_;
  const std::set<NodeId> parts_;
  Renaming part_of_;         // what parts leave: what they begin with
  std::vector<bool> stays_;  // by carried array: only parts change it
};

}  // namespace

void SplitTurns(Graph& graph, const PeriodicParts& periodic, int* next_group) {
  TurnSplitter(graph, periodic, next_group).Run();
}

}  // namespace stencilgen::graph
