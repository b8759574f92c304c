#include "sema/emit_reduction.h"

#include <utility>

#include "graph/reduction.h"

namespace stencilgen::sema {
namespace {

using graph::NodeId;
using graph::Operator;
using graph::VersionId;

class Rounds {
 public:
  Rounds(Context& context, const Operator& points, graph::ReduceOp op, VersionId result)
      : context_(context),
        points_(points),
        op_(op),
        result_(result),
        type_(context.graph.exprs[points.value].type) {}

  std::vector<NodeId> Add() {
    const std::size_t count = points_.iterators.size();
    const std::vector<std::int64_t> lanes = graph::FirstLanes(count);
    graph::Domain places{{}, points_.domain.guards};
    for (std::size_t n = 0; n < count; ++n) {
      const auto interval = graph::LanesWithPoints(points_.domain.intervals[n], lanes[n]);
      if (!interval) {
        // How many lanes have points is no form of sizes.
        Define(points_, std::vector<std::int64_t>(count, 1), result_);
        return std::move(nodes_);
      }
      places.intervals.push_back(*interval);
    }
    const VersionId first = NewLanes(lanes);
    Define(points_, lanes, first);
    std::vector<std::int64_t> fewer(count, 1);
    fewer.back() = graph::kSecondLanes;
    const VersionId second = NewLanes({graph::kSecondLanes});
    Define(Over(first, points_.iterators, places), fewer, second);
    const graph::Interval last = *graph::LanesWithPoints(places.intervals.back(), fewer.back());
    Define(Over(second, {points_.iterators.back()}, {{last}, places.guards}), {1}, result_);
    return std::move(nodes_);
  }

 private:
  VersionId NewLanes(const std::vector<std::int64_t>& lanes) {
    graph::Array array;
    const graph::ArrayId scalar = context_.graph.versions[result_].array;
    array.name = context_.UniqueName(context_.graph.arrays[scalar].name + "_lanes");
    array.type = type_;
    for (const std::int64_t each : lanes) {
      array.extents.push_back(graph::LinearForm::Constant(each));
    }
    array.local = true;
    array.span = points_.span;
    const std::string name = array.name;
    const graph::ArrayId id = context_.AddArray(std::move(array));
    context_.arrays[id.index].source_name = name;
    return context_.graph.versions.Add({id, graph::DefKind::Operator, {}});
  }

  /// The operator whose values are the elements of `lanes`.
  Operator Over(VersionId lanes, std::vector<int> iterators, graph::Domain domain) {
    Operator op;
    op.stencil = points_.stencil;
    op.call = points_.call;
    op.span = points_.span;
    op.group = context_.next_group++;
    op.domain = std::move(domain);
    graph::Access access{lanes, {}, {}};
    for (const int iterator : iterators) access.indices.push_back({iterator, 1, {}});
    op.iterators = std::move(iterators);
    op.value = context_.AddExpr({std::move(access), type_, points_.span});
    return op;
  }

  void Define(Operator op, std::vector<std::int64_t> lanes, VersionId result) {
    const graph::ArrayId array = context_.graph.versions[result].array;
    op.result = result;
    op.target.assign(context_.graph.arrays[array].rank(), graph::Index{});
    op.reduction = graph::Reduction{op_, std::move(lanes)};
    nodes_.push_back(context_.graph.nodes.Add(std::move(op)));
    context_.graph.versions[result].node = nodes_.back();
  }

  Context& context_;
  const Operator& points_;
  graph::ReduceOp op_;
  VersionId result_;
  ScalarType type_;
  std::vector<NodeId> nodes_;
};

}  // namespace

std::vector<NodeId> AddRounds(Context& context, Operator points, graph::ReduceOp op,
                              VersionId result) {
  return Rounds(context, points, op, result).Add();
}

}  // namespace stencilgen::sema
