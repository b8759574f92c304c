#include "distribute/collectives.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "distribute/scalar_states.h"
#include "graph/form_value.h"
#include "graph/nodes.h"
#include "graph/walk.h"
#include "passes/copy_body.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

class Separator {
 public:
  Separator(Graph& graph, Grid& grid) : graph_(graph), grid_(grid) {
    for (const Node& node : graph.nodes) {
      if (const auto* op = std::get_if<Operator>(&node)) {
        next_group_ = std::max(next_group_, op->group + 1);
      }
    }
  }

  std::vector<Collective> Run() {
    const std::vector<RegionId> regions = graph_.regions.Ids();
    for (const RegionId region : regions) {
      const std::vector<NodeId> nodes = graph_.regions[region].nodes;
      std::vector<NodeId> all;
      for (const NodeId node : nodes) {
        if (std::holds_alternative<Operator>(graph_.nodes[node])) Separate(node, all);
        all.push_back(node);
      }
      graph_.regions[region].nodes = std::move(all);
    }
    return std::move(collectives_);
  }

 private:
  bool Shares(ExprId access) const {
    const VersionId read = std::get<Access>(graph_.exprs[access].node).version;
    return grid_.Shares(graph_.versions[read].array);
  }

  void Separate(NodeId node, std::vector<NodeId>& before) {
    const Operator& op = OperatorOf(graph_, node);
    if (grid_.Shares(graph_.versions[op.result].array)) return;
    const std::vector<ExprId> accesses = Accesses(graph_, op);
    if (std::none_of(accesses.begin(), accesses.end(), [&](ExprId id) { return Shares(id); })) {
      return;
    }
    if (op.reduction) {
      SeparateValues(node, before);
    } else {
      SeparateReads(node, before);
    }
  }

  /// The values at the points of a reduction, where they are not elements of an array already.
  void SeparateValues(NodeId node, std::vector<NodeId>& before) {
    collectives_.push_back({node, true});
    if (IsElement(OperatorOf(graph_, node))) return;
    passes::OwnBody(graph_, node);
    for (std::size_t k = 0; k < OperatorOf(graph_, node).iterators.size(); ++k) {
      BeginAtZero(node, k);
    }
    const Operator reduction = OperatorOf(graph_, node);
    Array array;
    array.type = graph_.arrays[graph_.versions[reduction.result].array].type;
    Operator values = reduction;
    values.reduction = {};
    values.target.clear();
    std::vector<GridDimension> dimensions;
    for (std::size_t k = 0; k < reduction.iterators.size(); ++k) {
      const int iterator = reduction.iterators[k];
      values.target.push_back({iterator, 1, {}});
      const auto [extent, along] = ExtentAlong(reduction, k);
      array.extents.push_back(extent);
      dimensions.push_back(along);
    }
    const VersionId result =
        AddOperator("values", std::move(values), std::move(array), std::move(dimensions), before);
    Operator& rest = OperatorOf(graph_, node);
    rest.lets.clear();
    rest.value = ReadOf(result, graph_.exprs[rest.value].span);
  }

  /// Where a reduction reads only ahead its points begin below zero, where no array has elements:
  /// counts them from zero on. Lanes are counted from the first point anyway.
  void BeginAtZero(NodeId node, std::size_t k) {
    Operator& op = OperatorOf(graph_, node);
    const int iterator = op.iterators[k];
    Interval& interval = op.domain.intervals[k];
    const bool positive =
        std::any_of(interval.lower.begin(), interval.lower.end(),
                    [](const Bound& bound) { return AlwaysNonNegative(bound.numerator); });
    const std::int64_t first = positive ? 0 : -LeastAhead(op, iterator);
    if (first >= 0) return;
    for (auto* bounds : {&interval.lower, &interval.upper}) {
      for (Bound& bound : *bounds) bound.numerator = bound.numerator - first * bound.divisor;
    }
    std::set<ExprId> parts;
    const auto collect = [&](ExprId root) {
      Walk(graph_, root, [&](ExprId id) { parts.insert(id); });
    };
    for (const Let& let : op.lets) collect(let.value);
    collect(op.value);
    for (const ExprId id : parts) ShiftPart(id, iterator, first);
  }
  /// All of the operator's reads are at least so far ahead along the iterator.
  std::int64_t LeastAhead(const Operator& op, int iterator) const {
    std::optional<std::int64_t> least;
    for (const ExprId id : Accesses(graph_, op)) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        const Index& index = access.indices[d];
        if (index.iterator != iterator || index.coefficient != 1) continue;
        if (!access.boundary.empty() && access.boundary[d].kind != BoundaryKind::None) continue;
        least = std::min(least.value_or(index.offset.constant), index.offset.constant);
      }
    }
    return least.value_or(0);
  }
  void ShiftPart(ExprId id, int iterator, std::int64_t by) {
    const Expr expr = graph_.exprs[id];
    if (const auto* access = std::get_if<Access>(&expr.node)) {
      Access shifted = *access;
      for (Index& index : shifted.indices) {
        if (index.iterator == iterator) index.offset = index.offset + by * index.coefficient;
      }
      graph_.exprs[id].node = shifted;
    }
    const auto* ref = std::get_if<IteratorRef>(&expr.node);
    if (ref == nullptr || ref->iterator != iterator) return;
    const ExprId plain = graph_.exprs.Add(Expr(expr));
    const ExprId more = AddFormValue(graph_, LinearForm::Constant(by), expr);
    graph_.exprs[id].node = Binary{BinaryOp::Add, plain, more};
  }

  /// The value is an element of an array at the point itself.
  bool IsElement(const Operator& op) const {
    const auto* access = std::get_if<Access>(&graph_.exprs[op.value].node);
    if (access == nullptr || access->indices.size() != op.iterators.size()) return false;
    const Array& array = graph_.arrays[graph_.versions[access->version].array];
    if (!SameElements(array, graph_.arrays[graph_.versions[op.result].array])) return false;
    for (std::size_t k = 0; k < op.iterators.size(); ++k) {
      if (access->indices[k] != Index{op.iterators[k], 1, {}}) return false;
    }
    return true;
  }

  struct Extent {
    LinearForm elements;
    GridDimension along = {};
  };
  /// Elements enough for all values of the reduction's iterator: those of an array that it reads.
  Extent ExtentAlong(const Operator& op, std::size_t k) const {
    const int iterator = op.iterators[k];
    Extent best;
    for (const ExprId id : Accesses(graph_, op)) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      const ArrayId array = graph_.versions[access.version].array;
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        const Index& index = access.indices[d];
        if (index.iterator != iterator || index.coefficient < 1) continue;
        const GridDimension& along = grid_.Of(array, d);
        // Elements at multiples of the iterator are more than its values.
        const std::int64_t c = index.coefficient;
        const std::int64_t more = CeilDiv(std::max<std::int64_t>(0, -index.offset.constant), c);
        if (along.axis < 0) {
          best = {graph_.arrays[array].extents[d] + more};
          continue;
        }
        const std::int64_t excess = CeilDiv(along.excess, c) + more;
        const std::int64_t scale = along.scale / c;
        const LinearForm& points = grid_.axes[static_cast<std::size_t>(along.axis)].extent;
        return {points * scale + excess, {along.axis, scale, excess}};
      }
    }
    if (best.elements == LinearForm{} && !op.domain.intervals[k].upper.empty()) {
      best.elements = op.domain.intervals[k].upper[0].numerator + 1;
    }
    return Shared(best, iterator);
  }
  /// Along an axis of the grid where the iterator has one: ranks share its points, also of what
  /// each has as a whole.
  Extent Shared(const Extent& whole, int iterator) const {
    for (std::size_t a = 0; a < grid_.axes.size(); ++a) {
      const LinearForm& points = grid_.axes[a].extent;
      const LinearForm more = whole.elements - points;
      if (grid_.axes[a].iterator != iterator || !more.IsConstant()) continue;
      const std::int64_t excess = std::max<std::int64_t>(0, more.constant);
      return {points + excess, {static_cast<int>(a), 1, excess}};
    }
    return whole;
  }

  /// Elements of arrays that ranks share, each of which becomes one of an array of the operator's
  /// points.
  void SeparateReads(NodeId node, std::vector<NodeId>& before) {
    passes::OwnBody(graph_, node);
    const std::vector<ExprId> accesses = Accesses(graph_, OperatorOf(graph_, node));
    // A place may be read from such an array itself.
    const auto innermost = [&](ExprId id) {
      bool inner = Shares(id);
      Walk(graph_, id, [&](ExprId part) {
        const bool access = std::holds_alternative<Access>(graph_.exprs[part].node);
        if (part != id && access && Shares(part)) inner = false;
      });
      return inner;
    };
    for (;;) {
      const auto next = std::find_if(accesses.begin(), accesses.end(), innermost);
      if (next == accesses.end()) return;
      const ExprId id = *next;
      const Operator& op = OperatorOf(graph_, node);
      Operator read = op;
      read.background = {};
      read.op = AssignOp::Assign;
      read.target.clear();
      Array array;
      array.type = graph_.exprs[id].type;
      for (std::size_t k = 0; k < op.iterators.size(); ++k) {
        read.target.push_back({op.iterators[k], 1, {}});
        array.extents.push_back(TargetExtent(op, k));
      }
      if (op.iterators.empty()) {
        read.target.push_back({});
        array.extents.push_back(LinearForm::Constant(1));
      }
      passes::Body body = passes::CopyBody(graph_, op, id);
      read.lets = std::move(body.lets);
      read.value = body.value;
      const std::size_t rank = array.extents.size();
      const VersionId result = AddOperator("read", std::move(read), std::move(array),
                                           std::vector<GridDimension>(rank), before);
      collectives_.push_back({before.back(), false});
      const ExprId instead = ReadOf(result, graph_.exprs[id].span);
      graph_.exprs[id] = Expr(graph_.exprs[instead]);
    }
  }

  LinearForm TargetExtent(const Operator& op, std::size_t k) const {
    const Array& array = graph_.arrays[graph_.versions[op.result].array];
    for (std::size_t d = 0; d < op.target.size(); ++d) {
      if (op.target[d].iterator == op.iterators[k]) return array.extents[d];
    }
    return op.domain.intervals[k].upper.at(0).numerator + 1;
  }

  /// Adds the operator, whose result is an array of its own. The result.
  VersionId AddOperator(const std::string& name, Operator op, Array array,
                        std::vector<GridDimension> dimensions, std::vector<NodeId>& before) {
    array.name = FreeName(
        graph_, fmt::format("{}_{}", graph_.arrays[graph_.versions[op.result].array].name, name));
    array.local = true;
    array.span = op.span;
    const ArrayId id = graph_.arrays.Add(std::move(array));
    grid_.dimensions.push_back(std::move(dimensions));
    op.group = next_group_++;
    op.result = graph_.versions.Add({id, DefKind::Operator, {}});
    const VersionId result = op.result;
    before.push_back(graph_.nodes.Add(std::move(op)));
    graph_.versions[result].node = before.back();
    return result;
  }

  /// The element that the operator of the version wrote at its point.
  ExprId ReadOf(VersionId version, Span span) {
    const Operator& op = OperatorOf(graph_, graph_.versions[version].node);
    return graph_.exprs.Add(
        {Access{version, op.target, {}}, graph_.arrays[graph_.versions[version].array].type, span});
  }

  Graph& graph_;
  Grid& grid_;
  std::vector<Collective> collectives_;
  int next_group_ = 0;
};

}  // namespace

bool IsReplicated(const Graph& graph, const Grid& grid, const Operator& op) {
  if (grid.Shares(graph.versions[op.result].array)) return false;
  if (!op.reduction) return true;
  const std::vector<ExprId> accesses = Accesses(graph, op);
  return std::none_of(accesses.begin(), accesses.end(), [&](ExprId id) {
    const VersionId read = std::get<Access>(graph.exprs[id].node).version;
    return grid.Shares(graph.versions[read].array);
  });
}

std::vector<Collective> SeparateCollectives(Graph& graph, Grid& grid) {
  return Separator(graph, grid).Run();
}

}  // namespace stencilgen::distribute
