#include "plan/sums_key.h"

#include <cstring>
#include <map>

#include "graph/walk.h"
#include "plan/tile.h"
#include "support/match.h"

namespace stencilgen::plan {
namespace {

using graph::ExprId;

/// Writes expressions as numbers, parents before operands, each with as many operands as its kind
/// says: no two that differ are written alike.
class KeyWriter {
 public:
  KeyWriter(const graph::Graph& graph, const graph::Operator& op)
      : graph_(graph), written_(graph.versions[op.result].array) {
    Add(static_cast<std::int64_t>(op.iterators.size()));
    for (const int iterator : op.iterators) Add(iterator);
    Add(static_cast<std::int64_t>(op.lets.size()));
    for (const graph::Let& let : op.lets) {
      Add(static_cast<std::int64_t>(let.type));
      AddExpr(let.value);
    }
  }

  void Add(std::int64_t number) { key_.push_back(number); }
  void AddExpr(ExprId root) {
    graph::Walk(graph_, root, [&](ExprId id) { AddNode(graph_.exprs[id]); });
  }
  std::vector<std::int64_t> Take() && { return std::move(key_); }

 private:
  void AddNode(const graph::Expr& expr) {
    Add(static_cast<std::int64_t>(expr.node.index()));
    Add(static_cast<std::int64_t>(expr.type));
    Match(
        expr.node,
        [&](const graph::Literal& literal) {
          AddReal(literal.value);
          Add(literal.integer);
        },
        [&](const graph::ParameterRef& each) { Add(each.parameter.index); },
        [&](const graph::IteratorRef& each) { Add(each.iterator); },
        [&](const graph::Access& access) { AddAccess(access); },
        [&](const graph::LetRef& each) { Add(each.let); },
        [&](const graph::Unary& unary) { Add(static_cast<std::int64_t>(unary.op)); },
        [&](const graph::Binary& binary) { Add(static_cast<std::int64_t>(binary.op)); },
        [](const graph::Conditional&) {},
        [&](const graph::Call& call) {
          Add(static_cast<std::int64_t>(call.function));
          Add(static_cast<std::int64_t>(call.arguments.size()));
        },
        [](const graph::Convert&) {});
  }
  void AddAccess(const graph::Access& access) {
    const auto number = static_cast<std::int64_t>(numbers_.size());
    Add(numbers_.try_emplace(access.version, number).first->second);
    Add(graph_.versions[access.version].array == written_ ? 1 : 0);
    Add(static_cast<std::int64_t>(access.indices.size()));
    for (const graph::Index& index : access.indices) {
      Add(index.iterator);
      Add(index.coefficient);
      Add(index.place.Valid() ? 1 : 0);
      Add(index.offset.constant);
      Add(static_cast<std::int64_t>(index.offset.terms.size()));
      for (const auto& [parameter, factor] : index.offset.terms) {
        Add(parameter.index);
        Add(factor);
      }
    }
    Add(static_cast<std::int64_t>(access.boundary.size()));
    for (const graph::Boundary& boundary : access.boundary) {
      Add(static_cast<std::int64_t>(boundary.kind));
      AddReal(boundary.value);
    }
  }
  void AddReal(double value) {
    std::int64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    Add(bits);
  }

  const graph::Graph& graph_;
  graph::ArrayId written_;
  std::map<graph::VersionId, std::int64_t> numbers_;
  std::vector<std::int64_t> key_;
};

}  // namespace

std::vector<std::int64_t> SumsKey(const graph::Graph& graph, const Tile& tile, int op,
                                  const std::vector<std::array<int, 3>>& points,
                                  const SumRules& rules) {
  KeyWriter key(graph, OperatorAt(graph, tile, op));
  key.Add(static_cast<std::int64_t>(rules.distribute));
  key.Add(rules.share ? 1 : 0);
  key.Add(static_cast<std::int64_t>(tile.dimensions));
  key.Add(tile.stream ? static_cast<std::int64_t>(*tile.stream) : -1);
  key.Add(static_cast<std::int64_t>(points.size()));
  for (const std::array<int, 3>& point : points) {
    for (const int offset : point) key.Add(offset);
  }
  const auto& scatter = tile.ops[static_cast<std::size_t>(op)].scatter;
  key.Add(scatter ? static_cast<std::int64_t>(scatter->parts.size()) : -1);
  for (const TilePart& part : PartsOf(graph, tile, op)) {
    key.Add(static_cast<std::int64_t>(part.ahead));
    key.AddExpr(part.value);
  }
  return std::move(key).Take();
}

}  // namespace stencilgen::plan
