#include "graph/copy_nodes.h"

#include <algorithm>
#include <cstdint>

#include "graph/form_value.h"
#include "graph/walk.h"

namespace stencilgen::graph {

int NextGroup(const Graph& graph) {
  int next = 0;
  for (const Node& node : graph.nodes) {
    if (const auto* op = std::get_if<Operator>(&node)) next = std::max(next, op->group + 1);
  }
  return next;
}

std::vector<NodeId> NodeCopier::Copy(const std::vector<NodeId>& nodes) {
  std::vector<NodeId> copies;
  copies.reserve(nodes.size());
  for (const NodeId node : nodes) {
    if (const auto* op = std::get_if<Operator>(&graph_.nodes[node])) {
      copies.push_back(CopyOperator(*op));
    } else {
      const Loop loop = std::get<Loop>(graph_.nodes[node]);
      copies.push_back(CopyLoop(loop));
    }
  }
  return copies;
}

void NodeCopier::ReplaceTurns(const std::vector<NodeId>& nodes) {
  for (const NodeId node : nodes) {
    auto op = std::get<Operator>(graph_.nodes[node]);
    exprs_.clear();
    SetTurns(op);
    graph_.nodes[node] = std::move(op);
  }
}

VersionId NodeCopier::Renamed(VersionId version) const {
  const auto found = versions_.find(version);
  return found == versions_.end() ? version : found->second;
}

VersionId NodeCopier::AddVersion(VersionId like, DefKind def, NodeId node) {
  return graph_.versions.Add({graph_.versions[like].array, def, node});
}

NodeId NodeCopier::CopyOperator(Operator op) {
  exprs_.clear();
  SetTurns(op);
  if (op.background.Valid()) op.background = Renamed(op.background);
  const auto [group, fresh] = groups_.try_emplace({op.call, op.group}, *next_group_);
  if (fresh) ++*next_group_;
  op.group = group->second;
  const VersionId result = AddVersion(op.result, DefKind::Operator, {});
  versions_[op.result] = result;
  op.result = result;
  const NodeId node = graph_.nodes.Add(std::move(op));
  graph_.versions[result].node = node;
  return node;
}

NodeId NodeCopier::CopyLoop(const Loop& old) {
  Loop loop = old;
  const NodeId node = graph_.nodes.Add(Loop{});
  if (loop.unless.Valid()) loop.unless = Renamed(loop.unless);
  for (Carried& carried : loop.carried) {
    carried.initial = Renamed(carried.initial);
    const VersionId entry = AddVersion(carried.entry, DefKind::LoopEntry, node);
    versions_[carried.entry] = entry;
    carried.entry = entry;
  }
  std::vector<NodeId> body = Copy(std::vector<NodeId>(graph_.regions[old.body].nodes));
  loop.body = graph_.regions.Add({std::move(body)});
  if (loop.stop) loop.stop->condition = Renamed(loop.stop->condition);
  for (Carried& carried : loop.carried) {
    carried.next = Renamed(carried.next);
    const VersionId result = AddVersion(carried.result, DefKind::LoopResult, node);
    versions_[carried.result] = result;
    carried.result = result;
  }
  graph_.nodes[node] = std::move(loop);
  return node;
}

/// All turns at once: a form that stands for one may have another one in it, or the same.
LinearForm NodeCopier::WithTurns(LinearForm form) const {
  LinearForm replaced = LinearForm::Constant(form.constant);
  for (const auto& [parameter, coefficient] : form.terms) {
    const auto found = turns_.find(parameter);
    replaced =
        replaced +
        (found == turns_.end() ? LinearForm::Parameter(parameter) : found->second) * coefficient;
  }
  return replaced;
}

void NodeCopier::SetTurns(Operator& op) {
  for (Let& let : op.lets) let.value = CopyExpr(let.value);
  op.value = CopyExpr(op.value);
  for (Index& index : op.target) index.offset = WithTurns(index.offset);
  for (LinearForm& guard : op.domain.guards) guard = WithTurns(guard);
  for (Interval& interval : op.domain.intervals) {
    for (Bound& bound : interval.lower) bound.numerator = WithTurns(bound.numerator);
    for (Bound& bound : interval.upper) bound.numerator = WithTurns(bound.numerator);
  }
}

/// Operands first, without recursion: long sums make deep trees.
ExprId NodeCopier::CopyExpr(ExprId root) {
  std::vector<ExprId> order;
  Walk(graph_, root, [&](ExprId id) { order.push_back(id); });
  std::reverse(order.begin(), order.end());
  for (const ExprId id : order) {
    if (exprs_.count(id) != 0) continue;
    Expr expr = graph_.exprs[id];
    if (auto* access = std::get_if<Access>(&expr.node)) {
      access->version = Renamed(access->version);
      for (Index& index : access->indices) index.offset = WithTurns(index.offset);
    }
    const auto* ref = std::get_if<ParameterRef>(&expr.node);
    if (ref != nullptr && turns_.count(ref->parameter) > 0) {
      exprs_[id] = AddFormValue(graph_, turns_.at(ref->parameter), expr);
      continue;
    }
    ReplaceOperands(expr, [&](ExprId operand) { return exprs_.at(operand); });
    exprs_[id] = graph_.exprs.Add(std::move(expr));
  }
  return exprs_.at(root);
}

}  // namespace stencilgen::graph
