#include "passes/repeat_operators.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "graph/copy_nodes.h"
#include "graph/nodes.h"
#include "passes/copy_body.h"
#include "passes/eliminate_dead.h"
#include "support/check.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

constexpr std::size_t kMostIterators = 3;

class Repeater {
 public:
  explicit Repeater(Graph& graph) : graph_(graph), next_group_(NextGroup(graph)) {}

  /// The nodes that stand for the operator.
  std::vector<NodeId> Repeat(NodeId node, const RepeatedOperator& how) {
    const Operator whole = OperatorOf(graph_, node);
    std::vector<NodeId> nodes;
    VersionId before = whole.background;
    for (std::int64_t value = how.values.lo; value <= how.values.hi; ++value) {
      Operator op = At(whole, how.iterator, value);
      op.background = before;
      // The last one defines what the operator defined.
      const bool last = value == how.values.hi;
      const NodeId own = last ? node : graph_.nodes.Add(Operator{});
      if (!last) {
        const ArrayId array = graph_.versions[whole.result].array;
        op.result = graph_.versions.Add({array, DefKind::Operator, own});
        const auto key = std::tuple(whole.call, whole.group, value);
        const auto [group, fresh] = groups_.try_emplace(key, next_group_);
        if (fresh) ++next_group_;
        op.group = group->second;
      }
      before = op.result;
      graph_.nodes[own] = std::move(op);
      nodes.push_back(own);
    }
    return nodes;
  }

 private:
  /// The operator where the iterator has a value.
  Operator At(Operator op, int iterator, std::int64_t value) {
    const auto fix = [&](Index& index) {
      if (index.iterator != iterator) return;
      index = {-1, 0, index.offset + index.coefficient * value, index.place};
    };
    const auto copy = [&](ExprId root) {
      return CopyExpr(graph_, root, [&](Expr& expr) {
        if (auto* access = std::get_if<Access>(&expr.node)) {
          for (Index& index : access->indices) fix(index);
        } else if (const auto* ref = std::get_if<IteratorRef>(&expr.node)) {
          if (ref->iterator == iterator) expr.node = Literal{0, value};
        } else {
          Fold(expr);
        }
      });
    };
    for (Let& let : op.lets) let.value = copy(let.value);
    op.value = copy(op.value);
    for (Index& index : op.target) fix(index);
    const auto at = std::find(op.iterators.begin(), op.iterators.end(), iterator);
    STENCILGEN_CHECK(at != op.iterators.end() && !op.reduction);
    op.domain.intervals.erase(op.domain.intervals.begin() + (at - op.iterators.begin()));
    op.iterators.erase(at);
    return op;
  }

  /// What follows from the iterator's value: `double(2)` is 2.0, `c == 1 ? u : v` one of them.
  void Fold(Expr& expr) const {
    if (const auto* convert = std::get_if<Convert>(&expr.node)) {
      constexpr std::int64_t kExact = std::int64_t{1} << 24;  // in any type
      const std::optional<std::int64_t> number = NumberOf(convert->operand);
      if (!number || !IsFloating(expr.type) || std::abs(*number) > kExact) return;
      expr.node = Literal{static_cast<double>(*number), 0};
    } else if (const auto* binary = std::get_if<Binary>(&expr.node)) {
      const std::optional<std::int64_t> lhs = NumberOf(binary->lhs), rhs = NumberOf(binary->rhs);
      if (!lhs || !rhs) return;
      if (const auto value = Compared(binary->op, *lhs, *rhs))
        expr.node = Literal{0, *value ? 1 : 0};
    } else if (const auto* choice = std::get_if<Conditional>(&expr.node)) {
      const auto* condition = std::get_if<Literal>(&graph_.exprs[choice->condition].node);
      if (condition == nullptr) return;
      expr = Expr(graph_.exprs[condition->integer != 0 ? choice->then_value : choice->else_value]);
    }
  }
  std::optional<std::int64_t> NumberOf(ExprId id) const {
    const auto* literal = std::get_if<Literal>(&graph_.exprs[id].node);
    if (literal == nullptr || graph_.exprs[id].type != ScalarType::Int) return std::nullopt;
    return literal->integer;
  }
  static std::optional<bool> Compared(BinaryOp op, std::int64_t a, std::int64_t b) {
    switch (op) {
      case BinaryOp::Less:
        return a < b;
      case BinaryOp::LessEqual:
        return a <= b;
      case BinaryOp::Greater:
        return a > b;
      case BinaryOp::GreaterEqual:
        return a >= b;
      case BinaryOp::Equal:
        return a == b;
      case BinaryOp::NotEqual:
        return a != b;
      default:
        return std::nullopt;
    }
  }

  Graph& graph_;
  int next_group_;
  std::map<std::tuple<int, int, std::int64_t>, int> groups_;  // by call, old group and value
};

/// Requires: nothing has it.
void DropFirstIterator(Graph& graph) {
  const auto shift = [](Index& index) {
    if (index.iterator >= 0) --index.iterator;
  };
  for (Expr& expr : graph.exprs) {
    if (auto* access = std::get_if<Access>(&expr.node)) {
      for (Index& index : access->indices) shift(index);
    } else if (auto* ref = std::get_if<IteratorRef>(&expr.node)) {
      --ref->iterator;
    }
  }
  for (Node& node : graph.nodes) {
    auto* op = std::get_if<Operator>(&node);
    if (op == nullptr) continue;
    for (int& iterator : op->iterators) --iterator;
    for (Index& index : op->target) shift(index);
  }
  for (WantedPlaces& wanted : graph.wanted) --wanted.iterator;
  graph.iterators.erase(graph.iterators.begin());
  graph.unroll_wishes.erase(graph.unroll_wishes.begin());
}

}  // namespace

Graph RepeatOperators(Graph graph, const std::vector<std::optional<RepeatedOperator>>& repeated) {
  Repeater repeater(graph);
  for (const RegionId region : graph.regions.Ids()) {
    std::vector<NodeId> nodes;
    for (const NodeId node : std::vector<NodeId>(graph.regions[region].nodes)) {
      if (repeated[node.index]) {
        const std::vector<NodeId> copies = repeater.Repeat(node, *repeated[node.index]);
        nodes.insert(nodes.end(), copies.begin(), copies.end());
      } else {
        nodes.push_back(node);
      }
    }
    graph.regions[region].nodes = std::move(nodes);
  }
  return graph;
}

Graph RepeatComponents(Graph graph) {
  if (graph.iterators.size() <= kMostIterators) return graph;
  std::vector<std::optional<RepeatedOperator>> repeated(graph.nodes.size());
  for (const NodeId node : graph.nodes.Ids()) {
    const auto* op = std::get_if<Operator>(&graph.nodes[node]);
    if (op == nullptr || op->iterators.empty() || op->iterators.front() > 0) continue;
    const std::optional<Range> values = KnownValues(op->domain.intervals.front());
    STENCILGEN_CHECK(values.has_value());
    repeated[node.index] = {0, *values};
  }
  graph = EliminateDead(RepeatOperators(std::move(graph), repeated));
  DropFirstIterator(graph);
  return graph;
}

}  // namespace stencilgen::passes
