#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/walk.h"

namespace stencilgen::passes {

/// Copies an expression, operands first; `edit(graph::Expr&)` may change each copy. What
/// the expression shares, the copy shares. Without recursion: long sums make deep trees.
template <typename Edit>
graph::ExprId CopyExpr(graph::Graph& graph, graph::ExprId root, Edit edit) {
  std::vector<graph::ExprId> order;
  graph::Walk(graph, root, [&](graph::ExprId id) { order.push_back(id); });
  std::reverse(order.begin(), order.end());
  std::map<graph::ExprId, graph::ExprId> copies;
  for (const graph::ExprId id : order) {
    if (copies.count(id) > 0) continue;
    graph::Expr expr = graph.exprs[id];
    graph::ReplaceOperands(expr, [&](graph::ExprId operand) { return copies.at(operand); });
    edit(expr);
    copies[id] = graph.exprs.Add(std::move(expr));
  }
  return copies.at(root);
}

/// An expression of an operator with the lets that it needs.
struct Body {
  std::vector<graph::Let> lets;
  graph::ExprId value;
};

/// A copy of `value`, an expression of the operator, and of the lets that it needs, directly or
/// through others.
Body CopyBody(graph::Graph& graph, const graph::Operator& op, graph::ExprId value);

/// Gives the operator expressions that no other has, and drops the lets that its value does not
/// need.
void OwnBody(graph::Graph& graph, graph::NodeId node);

/// By let: the expression needs it, directly or through others.
std::vector<bool> LetsOf(const graph::Graph& graph, const graph::Operator& op, graph::ExprId value);

/// Flops of the expression with those of its lets, each once.
std::int64_t FlopsOf(const graph::Graph& graph, const graph::Operator& op, graph::ExprId value);

/// Adds an operator before node `before` of the region that computes `body` at the points of that
/// node, an operator, and puts it into a local array of its own at the same elements. Returns its
/// result. `name`: of the array, made unique and followed by the call, as names of locals are.
graph::VersionId AddPointOperator(graph::Graph& graph, graph::RegionId region, graph::NodeId before,
                                  const std::string& name, Body body);

/// The array's name; of a local one without its call.
std::string BaseName(const graph::Array& array);

/// True where the operator computes every point of `points`, another operator.
bool Covers(const graph::Operator& op, const graph::Operator& points);

}  // namespace stencilgen::passes
