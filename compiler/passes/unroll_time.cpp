#include "passes/unroll_time.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

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

/// True where the form is a multiple of `factor` whatever the parameters are.
bool AlwaysMultiple(const LinearForm& form, std::int64_t factor) {
  return form.constant % factor == 0 &&
         std::all_of(form.terms.begin(), form.terms.end(),
                     [&](const auto& term) { return term.second % factor == 0; });
}

/// The number of a turn, as the program counts, in terms of the number of its tile.
struct TurnOfTile {
  ParameterId turn;  ///< both; invalid where the loop names none
  std::int64_t steps = 1, step = 0;

  LinearForm form() const { return LinearForm::Parameter(turn) * steps + step; }
  LinearForm In(const LinearForm& other) const {
    return turn.Valid() ? Replace(other, turn, form()) : other;
  }
};

/// Makes one copy of a loop's body. Versions that are not the body's own keep their ids but for
/// those that `renamed` names.
class BodyCopy {
 public:
  BodyCopy(Graph& graph, std::map<VersionId, VersionId> renamed, int* next_group,
           TurnOfTile turn = {})
      : graph_(graph), versions_(std::move(renamed)), next_group_(next_group), turn_(turn) {}

  std::vector<NodeId> Copy(const std::vector<NodeId>& body) {
    std::vector<NodeId> copies;
    copies.reserve(body.size());
    for (const NodeId node : body) {
      copies.push_back(CopyOperator(std::get<Operator>(graph_.nodes[node])));
    }
    return copies;
  }

  /// Puts the turn's number into the body itself.
  void SetTurn(const std::vector<NodeId>& body) {
    for (const NodeId node : body) {
      auto op = std::get<Operator>(graph_.nodes[node]);
      exprs_.clear();
      SetTurn(op);
      graph_.nodes[node] = std::move(op);
    }
  }

  /// What stands for the version after the copy.
  VersionId Renamed(VersionId version) const {
    const auto found = versions_.find(version);
    return found == versions_.end() ? version : found->second;
  }

 private:
  NodeId CopyOperator(Operator op) {
    exprs_.clear();
    SetTurn(op);
    if (op.background.Valid()) op.background = Renamed(op.background);
    const auto [group, fresh] = groups_.try_emplace({op.call, op.group}, *next_group_);
    if (fresh) ++*next_group_;
    op.group = group->second;
    const VersionId result =
        graph_.versions.Add({graph_.versions[op.result].array, DefKind::Operator, {}});
    versions_[op.result] = result;
    op.result = result;
    const NodeId node = graph_.nodes.Add(std::move(op));
    graph_.versions[result].node = node;
    return node;
  }

  /// Its expressions are copies from then on.
  void SetTurn(Operator& op) {
    for (Let& let : op.lets) let.value = CopyExpr(let.value);
    op.value = CopyExpr(op.value);
    for (Index& index : op.target) index.offset = turn_.In(index.offset);
    for (LinearForm& guard : op.domain.guards) guard = turn_.In(guard);
    for (Interval& interval : op.domain.intervals) {
      for (Bound& bound : interval.lower) bound.numerator = turn_.In(bound.numerator);
      for (Bound& bound : interval.upper) bound.numerator = turn_.In(bound.numerator);
    }
  }

  /// The number of the turn, of the expression that refers to it.
  ExprId TurnValue(const Expr& ref) {
    const auto number = [&](std::int64_t value) {
      return graph_.exprs.Add({Literal{static_cast<double>(value), value}, ref.type, ref.span});
    };
    const ExprId tile = graph_.exprs.Add(ref);
    const ExprId first =
        graph_.exprs.Add({Binary{BinaryOp::Mul, number(turn_.steps), tile}, ref.type, ref.span});
    if (turn_.step == 0) return first;
    return graph_.exprs.Add({Binary{BinaryOp::Add, first, number(turn_.step)}, ref.type, ref.span});
  }

  /// Operands first, without recursion: long sums make deep trees.
  ExprId CopyExpr(ExprId root) {
    std::vector<ExprId> order;
    Walk(graph_, root, [&](ExprId id) { order.push_back(id); });
    std::reverse(order.begin(), order.end());
    for (const ExprId id : order) {
      if (exprs_.count(id) != 0) continue;
      Expr expr = graph_.exprs[id];
      if (auto* access = std::get_if<Access>(&expr.node)) {
        access->version = Renamed(access->version);
        for (Index& index : access->indices) index.offset = turn_.In(index.offset);
      }
      const auto* ref = std::get_if<ParameterRef>(&expr.node);
      if (ref != nullptr && turn_.turn.Valid() && ref->parameter == turn_.turn) {
        exprs_[id] = TurnValue(expr);
        continue;
      }
      ReplaceOperands(expr, [&](ExprId operand) { return exprs_.at(operand); });
      exprs_[id] = graph_.exprs.Add(std::move(expr));
    }
    return exprs_.at(root);
  }

  Graph& graph_;
  std::map<VersionId, VersionId> versions_;
  std::map<ExprId, ExprId> exprs_;             // of one operator
  std::map<std::pair<int, int>, int> groups_;  // by call and accumulation group
  int* next_group_;
  TurnOfTile turn_;
};

class Unroller {
 public:
  Unroller(Graph graph, int steps) : graph_(std::move(graph)), steps_(steps) {
    for (const Node& node : graph_.nodes) {
      const auto* op = std::get_if<Operator>(&node);
      if (op != nullptr) next_group_ = std::max(next_group_, op->group + 1);
    }
  }

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
      const int steps = StepsFor(*loop);
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
    if (loop.stop) return 1;  // it may end after any turn
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
      BodyCopy body_copy(graph_, std::move(entries), &next_group_, {loop.turn, steps, copy});
      const std::vector<NodeId> copies = body_copy.Copy(body);
      std::vector<NodeId>& nodes = graph_.regions[loop.body].nodes;
      nodes.insert(nodes.end(), copies.begin(), copies.end());
      for (std::size_t k = 0; k < step.size(); ++k) {
        loop.carried[k].next = body_copy.Renamed(step[k].next);
      }
    }
    if (loop.turn.Valid()) {
      BodyCopy(graph_, {}, &next_group_, {loop.turn, steps, 0}).SetTurn(body);
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
    BodyCopy copy(graph_, std::move(entries), &next_group_);
    graph_.regions[rest.body].nodes = copy.Copy(body);
    for (Carried& carried : rest.carried) carried.next = copy.Renamed(carried.next);
    graph_.nodes[node] = std::move(rest);
    return node;
  }

  Graph graph_;
  const int steps_;
  int next_group_ = 0;
  std::size_t operators_left_ = kMaxUnrolledOperators;
  std::size_t exprs_left_ = kMaxUnrolledExprs;
};

}  // namespace

graph::Graph UnrollTime(graph::Graph graph, int steps) {
  STENCILGEN_CHECK(steps >= 1);
  return Unroller(std::move(graph), steps).Run();
}

}  // namespace stencilgen::passes
