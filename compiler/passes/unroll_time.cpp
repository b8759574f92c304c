#include "passes/unroll_time.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "graph/copy_nodes.h"
#include "graph/pointwise_loops.h"
#include "graph/walk.h"
#include "support/check.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

/// The largest value of the form where it has one.
std::optional<std::int64_t> LargestValue(const LinearForm& form) {
  LinearForm largest = LinearForm::Constant(form.constant);
  for (const auto& [parameter, coefficient] : form.terms) {
    if (coefficient > 0) return std::nullopt;
    largest = largest + coefficient;  // the parameter is at least 1
  }
  return largest.constant;
}

/// The number of a turn, as the program counts, in terms of the number of its tile, which has the
/// turn's name; none where the loop names none.
std::map<ParameterId, LinearForm> TurnOfTile(ParameterId turn, std::int64_t steps,
                                             std::int64_t step) {
  if (!turn.Valid()) return {};
  return {{turn, LinearForm::Parameter(turn) * steps + step}};
}

class Unroller {
 public:
  Unroller(Graph graph, int steps, bool keep_pointwise)
      : graph_(std::move(graph)),
        steps_(steps),
        keep_pointwise_(keep_pointwise),
        next_group_(NextGroup(graph_)) {}

  Graph Run() && {
    VisitRegion(graph_.root);
    return std::move(graph_);
  }

 private:
  void VisitRegion(RegionId region) {
    std::vector<NodeId> nodes;
    for (const NodeId node : std::vector<NodeId>(graph_.regions[region].nodes)) {
      nodes.push_back(node);
      const auto* loop = std::get_if<Loop>(&graph_.nodes[node]);
      if (loop == nullptr) continue;
      const bool keep = keep_pointwise_ && FindPointwiseLoop(graph_, node);
      const int steps = keep ? 1 : StepsFor(*loop);
      if (steps > 1) {
        const std::optional<NodeId> rest = Unroll(node, steps);
        if (rest) nodes.push_back(*rest);
      } else {
        VisitRegion(loop->body);
      }
    }
    graph_.regions[region].nodes = std::move(nodes);
  }

  /// How often to repeat the loop's body; 1 where the loop stays as it is.
  int StepsFor(const Loop& loop) {
    if (loop.stop) return 1;  // it may end after a turn that looks (passes/split_looks.h)
    const std::vector<NodeId>& body = graph_.regions[loop.body].nodes;
    std::size_t exprs = 0;
    for (const NodeId node : body) {
      const auto* op = std::get_if<Operator>(&graph_.nodes[node]);
      if (op == nullptr) return 1;
      const auto count = [&](ExprId) { ++exprs; };
      for (const Let& let : op->lets) Walk(graph_, let.value, count);
      Walk(graph_, op->value, count);
    }
    if (body.empty() || loop.turns != Turns{loop.turns.count}) return 1;
    std::int64_t steps = steps_;
    if (const auto most = LargestValue(loop.turns.count)) steps = std::min(steps, *most);
    if (steps <= 1) return 1;
    const auto copies = static_cast<std::size_t>(steps);
    if (body.size() > operators_left_ / copies || exprs > exprs_left_ / copies) return 1;
    operators_left_ -= body.size() * copies;
    exprs_left_ -= exprs * copies;
    return static_cast<int>(steps);
  }

  /// Returns the loop for the turns left over, where there may be any.
  std::optional<NodeId> Unroll(NodeId node, int steps) {
    const auto old = std::get<Loop>(graph_.nodes[node]);
    const std::vector<NodeId> old_body = graph_.regions[old.body].nodes;
    Loop main = old;
    main.turns.divisor = steps;
    std::optional<NodeId> rest;
    if (!AlwaysMultiple(old.turns.count, steps)) {
      for (Carried& carried : main.carried) {
        carried.result = AddVersion(carried.result, DefKind::LoopResult, node);
      }
      rest = AddRest(old, old_body, main, steps);
    }
    RepeatBody(main, old_body, steps);
    graph_.nodes[node] = std::move(main);
    return rest;
  }

  VersionId AddVersion(VersionId like, DefKind def, NodeId node) {
    return graph_.versions.Add({graph_.versions[like].array, def, node});
  }

  /// Adds copies of the body to the loop that has it once.
  void RepeatBody(Loop& loop, const std::vector<NodeId>& body, int steps) {
    const std::vector<Carried> step = loop.carried;
    for (int copy = 1; copy < steps; ++copy) {
      std::map<VersionId, VersionId> entries;
      for (std::size_t k = 0; k < step.size(); ++k) entries[step[k].entry] = loop.carried[k].next;
      NodeCopier copier(graph_, std::move(entries), &next_group_,
                        TurnOfTile(loop.turn, steps, copy));
      const std::vector<NodeId> copies = copier.Copy(body);
      std::vector<NodeId>& nodes = graph_.regions[loop.body].nodes;
      nodes.insert(nodes.end(), copies.begin(), copies.end());
      for (std::size_t k = 0; k < step.size(); ++k) {
        loop.carried[k].next = copier.Renamed(step[k].next);
      }
    }
    if (loop.turn.Valid()) {
      NodeCopier(graph_, {}, &next_group_, TurnOfTile(loop.turn, steps, 0)).ReplaceTurns(body);
    }
  }

  /// The loop for what the main one leaves: it starts from that one's results, and its own are
  /// those of the old loop.
  NodeId AddRest(const Loop& old, const std::vector<NodeId>& body, const Loop& main, int steps) {
    Loop rest = old;
    rest.turns.divisor = steps;
    rest.turns.remainder = true;
    rest.body = graph_.regions.Add({});
    const NodeId node = graph_.nodes.Add(Loop{});
    std::map<VersionId, VersionId> entries;
    for (std::size_t k = 0; k < rest.carried.size(); ++k) {
      Carried& carried = rest.carried[k];
      carried.initial = main.carried[k].result;
      carried.entry = AddVersion(carried.entry, DefKind::LoopEntry, node);
      entries[old.carried[k].entry] = carried.entry;
      graph_.versions[carried.result].node = node;
    }
    NodeCopier copy(graph_, std::move(entries), &next_group_);
    graph_.regions[rest.body].nodes = copy.Copy(body);
    for (Carried& carried : rest.carried) carried.next = copy.Renamed(carried.next);
    graph_.nodes[node] = std::move(rest);
    return node;
  }

  Graph graph_;
  const int steps_;
  const bool keep_pointwise_;
  int next_group_;
  std::size_t operators_left_ = kMaxUnrolledOperators;
  std::size_t exprs_left_ = kMaxUnrolledExprs;
};

}  // namespace

graph::Graph UnrollTime(graph::Graph graph, int steps, bool keep_pointwise) {
  STENCILGEN_CHECK(steps >= 1);
  return Unroller(std::move(graph), steps, keep_pointwise).Run();
}

}  // namespace stencilgen::passes
