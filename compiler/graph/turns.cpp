#include "graph/turns.h"

#include <algorithm>

#include "graph/walk.h"

namespace stencilgen::graph {
namespace {

bool AnyHasTurn(const std::vector<Bound>& bounds) {
  return std::any_of(bounds.begin(), bounds.end(),
                     [](const Bound& bound) { return HasTurn(bound.numerator); });
}

class TurnFinder {
 public:
  std::set<ParameterId> Take() { return std::move(found_); }

  void Add(const LinearForm& form) {
    for (const auto& [id, coefficient] : form.terms) {
      if (id.turn) found_.insert(id);
    }
  }
  void Add(const std::vector<Index>& indices) {
    for (const Index& index : indices) Add(index.offset);
  }
  void Add(const std::vector<Bound>& bounds) {
    for (const Bound& bound : bounds) Add(bound.numerator);
  }
  void Add(const Graph& graph, ExprId root) {
    Walk(graph, root, [&](ExprId id) {
      const Expr& expr = graph.exprs[id];
      if (const auto* access = std::get_if<Access>(&expr.node)) Add(access->indices);
      const auto* ref = std::get_if<ParameterRef>(&expr.node);
      if (ref != nullptr && graph.parameters[ref->parameter].turn) {
        found_.insert({ref->parameter.index, true});
      }
    });
  }

 private:
  std::set<ParameterId> found_;
};

}  // namespace

bool HasTurn(const Interval& interval) {
  return AnyHasTurn(interval.lower) || AnyHasTurn(interval.upper);
}

bool HasTurn(const std::vector<Index>& indices) {
  return std::any_of(indices.begin(), indices.end(),
                     [](const Index& index) { return HasTurn(index.offset); });
}

bool WritesByTurn(const Operator& op) {
  const Domain& domain = op.domain;
  const auto moves = [](const LinearForm& form) { return HasTurn(form); };
  return HasTurn(op.target) || std::any_of(domain.guards.begin(), domain.guards.end(), moves) ||
         std::any_of(domain.intervals.begin(), domain.intervals.end(),
                     [](const Interval& interval) { return HasTurn(interval); });
}

bool MayEndEarly(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    const auto* loop = std::get_if<Loop>(&node);
    return loop != nullptr && loop->stop.has_value();
  });
}

std::set<ParameterId> TurnsUsed(const Graph& graph, const Operator& op) {
  TurnFinder finder;
  for (const LinearForm& guard : op.domain.guards) finder.Add(guard);
  for (const Interval& interval : op.domain.intervals) {
    finder.Add(interval.lower);
    finder.Add(interval.upper);
  }
  finder.Add(op.target);
  for (const Let& let : op.lets) finder.Add(graph, let.value);
  finder.Add(graph, op.value);
  return finder.Take();
}

}  // namespace stencilgen::graph
