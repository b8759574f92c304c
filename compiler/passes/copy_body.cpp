#include "passes/copy_body.h"

#include <set>
#include <string>

#include <fmt/format.h>

namespace stencilgen::passes {

using namespace graph;

std::vector<bool> LetsOf(const Graph& graph, const Operator& op, ExprId value) {
  std::vector<bool> used(op.lets.size(), false);
  const auto mark = [&](ExprId root) {
    Walk(graph, root, [&](ExprId id) {
      const auto* ref = std::get_if<LetRef>(&graph.exprs[id].node);
      if (ref != nullptr) used[static_cast<std::size_t>(ref->let)] = true;
    });
  };
  mark(value);
  for (std::size_t k = op.lets.size(); k-- > 0;) {
    if (used[k]) mark(op.lets[k].value);
  }
  return used;
}

std::int64_t FlopsOf(const Graph& graph, const Operator& op, ExprId value) {
  const std::vector<bool> used = LetsOf(graph, op, value);
  std::vector<bool> uniform;
  Operator one;
  std::int64_t flops = 0;
  for (std::size_t k = 0; k < op.lets.size(); ++k) {
    uniform.push_back(IsUniform(graph, op.lets[k].value, uniform));
    if (!used[k] || uniform[k]) continue;
    one.value = op.lets[k].value;
    flops += FlopsPerPoint(graph, one);
  }
  one.value = value;
  return flops + FlopsPerPoint(graph, one);
}

Body CopyBody(Graph& graph, const Operator& op, ExprId value) {
  const std::vector<bool> used = LetsOf(graph, op, value);
  std::vector<int> place(op.lets.size(), -1);
  const auto renumber = [&](Expr& expr) {
    if (auto* ref = std::get_if<LetRef>(&expr.node)) {
      ref->let = place[static_cast<std::size_t>(ref->let)];
    }
  };
  Body body;
  for (std::size_t k = 0; k < op.lets.size(); ++k) {
    if (!used[k]) continue;
    place[k] = static_cast<int>(body.lets.size());
    Let let = op.lets[k];
    let.value = CopyExpr(graph, let.value, renumber);
    body.lets.push_back(std::move(let));
  }
  body.value = CopyExpr(graph, value, renumber);
  return body;
}

void OwnBody(Graph& graph, NodeId node) {
  const auto op = std::get<Operator>(graph.nodes[node]);
  Body body = CopyBody(graph, op, op.value);
  auto& own = std::get<Operator>(graph.nodes[node]);
  own.lets = std::move(body.lets);
  own.value = body.value;
}

VersionId AddPointOperator(Graph& graph, RegionId region, NodeId before, const std::string& name,
                           Body body) {
  const auto like = std::get<Operator>(graph.nodes[before]);
  std::set<std::string> names;
  int group = 0;
  for (const Array& array : graph.arrays) names.insert(array.name);
  for (const Node& node : graph.nodes) {
    if (const auto* op = std::get_if<Operator>(&node)) group = std::max(group, op->group + 1);
  }
  Array array;
  array.name = fmt::format("{}_{}", name, like.call);
  for (int k = 2; names.count(array.name) > 0; ++k) {
    array.name = fmt::format("{}{}_{}", name, k, like.call);
  }
  array.type = graph.exprs[body.value].type;
  array.extents = graph.arrays[graph.versions[like.result].array].extents;
  array.local = true;
  array.span = like.span;
  const ArrayId array_id = graph.arrays.Add(std::move(array));

  Operator op = like;
  op.op = AssignOp::Assign;
  op.background = VersionId{};
  op.group = group;
  op.lets = std::move(body.lets);
  op.value = body.value;
  op.result = graph.versions.Add({array_id, DefKind::Operator, {}});
  const VersionId result = op.result;
  const NodeId node = graph.nodes.Add(std::move(op));
  graph.versions[result].node = node;
  std::vector<NodeId>& nodes = graph.regions[region].nodes;
  nodes.insert(std::find(nodes.begin(), nodes.end(), before), node);
  return result;
}

std::string BaseName(const Array& array) {
  return array.local ? array.name.substr(0, array.name.rfind('_')) : array.name;
}

bool Covers(const Operator& op, const Operator& points) {
  if (op.iterators != points.iterators) return false;
  const auto holds = [&](const LinearForm& guard) {
    return AlwaysNonNegative(guard) ||
           std::find(points.domain.guards.begin(), points.domain.guards.end(), guard) !=
               points.domain.guards.end();
  };
  if (!std::all_of(op.domain.guards.begin(), op.domain.guards.end(), holds)) return false;
  for (std::size_t d = 0; d < op.domain.intervals.size(); ++d) {
    if (!AlwaysContains(op.domain.intervals[d], points.domain.intervals[d])) return false;
  }
  return true;
}

}  // namespace stencilgen::passes
