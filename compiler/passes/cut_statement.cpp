#include "passes/cut_statement.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "passes/copy_body.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

/// An expression that may become an operator's value.
struct Place {
  ExprId expr;
  std::int64_t flops = 0;  ///< of it and all below
};

/// Where evaluation does not depend on a condition.
bool AlwaysEvaluates(const Expr& expr) {
  if (std::holds_alternative<Conditional>(expr.node)) return false;
  const auto* binary = std::get_if<Binary>(&expr.node);
  return binary == nullptr || (binary->op != BinaryOp::And && binary->op != BinaryOp::Or);
}

/// From the operator's value down, each time to the operand with the most flops.
std::vector<Place> HeaviestPath(const Graph& graph, const Operator& op) {
  std::vector<Place> path;
  std::vector<bool> uniform;
  for (const Let& let : op.lets) uniform.push_back(IsUniform(graph, let.value, uniform));
  ExprId at = op.value;
  for (;;) {
    const Expr& expr = graph.exprs[at];
    if (const auto* ref = std::get_if<LetRef>(&expr.node)) {
      at = op.lets[static_cast<std::size_t>(ref->let)].value;
      continue;
    }
    if (!AlwaysEvaluates(expr) || IsUniform(graph, at, uniform)) return path;
    const std::int64_t flops = FlopsOf(graph, op, at);
    if (flops == 0) return path;
    if (IsFloating(expr.type)) path.push_back({at, flops});
    std::optional<Place> heaviest;
    for (const ExprId operand : Operands(expr)) {
      const std::int64_t each = FlopsOf(graph, op, operand);
      if (!heaviest || each > heaviest->flops) heaviest = Place{operand, each};
    }
    if (!heaviest) return path;
    at = heaviest->expr;
  }
}

}  // namespace

std::vector<VersionId> CutStatement(Graph& graph, RegionId region, NodeId node, int pieces) {
  OwnBody(graph, node);
  const auto old = std::get<Operator>(graph.nodes[node]);
  const std::vector<Place> path = HeaviestPath(graph, old);
  std::vector<Place> cuts;  // the smallest first
  if (!path.empty()) {
    const std::int64_t all = path.front().flops;
    std::int64_t before = 0;
    for (int piece = 1; piece < pieces; ++piece) {
      const std::int64_t wanted = all * piece / pieces;
      const Place* best = nullptr;
      for (const Place& place : path) {
        if (place.flops < before + kShortestPiece || place.flops > all - kShortestPiece) continue;
        if (best == nullptr || std::abs(place.flops - wanted) < std::abs(best->flops - wanted)) {
          best = &place;
        }
      }
      if (best == nullptr) break;
      before = best->flops;
      cuts.push_back(*best);
    }
  }
  const std::string name = BaseName(graph.arrays[graph.versions[old.result].array]);
  std::vector<VersionId> results;
  for (const Place& cut : cuts) {
    const auto op = std::get<Operator>(graph.nodes[node]);
    const VersionId result = AddPointOperator(graph, region, node, fmt::format("{}_part", name),
                                              CopyBody(graph, op, cut.expr));
    // Every use of the expression reads it from now on.
    graph.exprs[cut.expr].node = Access{result, op.target, {}};
    results.push_back(result);
  }
  OwnBody(graph, node);
  return results;
}

}  // namespace stencilgen::passes
