#include "lower/cuda/tile_edges.h"

#include <fmt/format.h>

#include "lower/boundary_code.h"
#include "lower/operator_code.h"

namespace stencilgen::lower::cuda {

using graph::BoundaryKind;
using kernel::Expr;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

Expr TileEdges::Coordinate(std::size_t d, std::int64_t distance, std::int64_t lag) const {
  const Expr at = tile_.stream == d ? scope_.Plane() - Number(lag) : Read(scope_.First(d));
  return at + Number(distance);
}

/// In the type of coordinates: where that is short, the host has compared the array's range, and
/// tests of points take half of the registers.
Expr TileEdges::Extent(graph::VersionId version, std::size_t d) {
  const graph::Graph& graph = scope_.model().graph();
  const graph::LinearForm& extent = graph.arrays[graph.versions[version].array].extents[d];
  finds_places_ = true;
  if (extent.IsConstant()) return scope_.Form(extent);
  return Read(scope_.ArrayRange(version, d).hi) + Number(1);
}

Expr TileEdges::Wrapped(graph::VersionId version, std::size_t d, const Expr& coordinate) {
  return kernel::Call(kernel::Routine::WrapIndex, coordinate.type(),
                      {coordinate, Extent(version, d)});
}

/// How far from the coordinate the element is in memory that it stands for.
Expr TileEdges::Distance(graph::VersionId version, std::size_t d, const Expr& coordinate) {
  return kernel::ConvertTo(kernel::kIndex, Wrapped(version, d, coordinate) - coordinate) *
         scope_.Stride(version, d);
}

/// A value that is the same in all steps of the stream.
Expr TileEdges::Known(std::string_view wish, const Expr& value) {
  const auto [at, is_new] = vars_.try_emplace(kernel::Print(value));
  if (is_new) {
    at->second = kernel::MakeVar(scope_.Claim(wish), value.type());
    declarations_.Add(kernel::LetStmt{at->second, value});
  }
  return Read(at->second);
}

Expr TileEdges::Choose(const graph::Access& access, const plan::Offset& distance,
                       const std::vector<TileElements::Moved>& moved, std::int64_t lag,
                       const std::function<Expr(const plan::Offset&)>& held) {
  const auto at = [&](std::size_t d) { return Coordinate(d, distance[d], lag); };
  const auto known = [&](std::size_t d, const Expr& test) {
    if (tile_.stream == d) return test;
    return Known(fmt::format("{}_at_edge", scope_.iterators()[d]->name), test);
  };
  Expr value = held(distance);
  for (const TileElements::Moved& each : moved) {
    std::vector<Expr> tests;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (!each.moves[d]) continue;
      const Expr to = kernel::Call(BoundaryRoutine(access.boundary[d].kind),
                                   scope_.CoordinateType(), {at(d), Extent(access.version, d)});
      tests.push_back(
          known(d, kernel::Apply(BinaryOp::Equal, to, Coordinate(d, each.distance[d], lag))));
    }
    value = kernel::Choose(kernel::And(tests), held(each.distance), value);
  }
  // Of several dimensions with constants the first decides.
  for (std::size_t d = tile_.dimensions; d-- > 0;) {
    if (access.boundary[d].kind != BoundaryKind::Constant) continue;
    const Expr inside = known(d, kernel::Call(kernel::Routine::IsInside, kernel::kBool,
                                              {at(d), Extent(access.version, d)}));
    value = kernel::Choose(inside, value, kernel::Constant(value.type(), access.boundary[d].value));
  }
  return value;
}

Expr TileEdges::AroundStream(int version, std::int64_t late) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  if (!tile_.stream || !input.wraps[*tile_.stream]) return {};
  return Distance(input.version, *tile_.stream, scope_.Plane() - Number(input.lag + late));
}

Expr TileEdges::Beyond(int version, std::size_t d, const Expr& distance) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  if (!input.wraps[d]) return Number(0);
  return Distance(input.version, d,
                  kernel::ConvertTo(kernel::kIndex, Read(scope_.First(d)) + distance));
}

Expr TileEdges::Around(int version, const TilePoint& point, std::int64_t late) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  Expr around;
  const auto add = [&](const Expr& part) { around = around.Valid() ? around + part : part; };
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.stream == d || !input.wraps[d]) continue;
    const Expr distance = Distance(input.version, d, Coordinate(d, point[d], 0));
    add(Known(fmt::format("{}_around", scope_.iterators()[d]->name), distance));
  }
  if (const Expr along = AroundStream(version, late); along.Valid()) add(along);
  return around;
}

Expr TileEdges::Inside(const plan::TileVersion& result, std::size_t d, const TilePoint& point) {
  const Expr at = scope_.Coordinate(d, point, result.lag);
  return kernel::ConvertTo(kernel::kIndex, result.wraps[d] ? Wrapped(result.version, d, at) : at);
}

}  // namespace stencilgen::lower::cuda
