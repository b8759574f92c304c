#include "plan/halo_needs.h"

#include <algorithm>
#include <optional>

#include "plan/operator_facts.h"

namespace stencilgen::plan {
namespace {

using graph::LinearForm;
using graph::Operator;
using graph::VersionId;

struct Ends {
  LinearForm lo, hi;
};

/// How much larger `a` always is than `b`; empty where that depends on parameters.
std::optional<std::int64_t> Difference(const LinearForm& a, const LinearForm& b) {
  const LinearForm difference = a - b;
  if (!difference.IsConstant()) return std::nullopt;
  return difference.constant;
}

const graph::Array& ArrayOf(const graph::Graph& graph, VersionId version) {
  return graph.arrays[graph.versions[version].array];
}

/// The first and the last point that tiles store along the dimension.
std::optional<Ends> StoredEnds(const graph::Graph& graph, const Tile& tile, std::size_t d) {
  std::optional<Ends> all;
  for (const TileStore& store : tile.stores) {
    const graph::NodeId node = graph.versions[store.version].node;
    const graph::Interval& own = std::get<Operator>(graph.nodes[node]).domain.intervals[d];
    Ends ends = {LinearForm::Constant(0), ArrayOf(graph, store.version).extents[d] - 1};
    if (!store.whole) {
      if (own.lower.size() != 1 || own.lower[0].divisor != 1) return std::nullopt;
      if (own.upper.size() != 1 || own.upper[0].divisor != 1) return std::nullopt;
      ends = {own.lower[0].numerator, own.upper[0].numerator};
    }
    if (!all) all = ends;
    const auto before = Difference(all->lo, ends.lo);
    const auto after = Difference(ends.hi, all->hi);
    if (!before || !after) return std::nullopt;
    if (*before > 0) all->lo = ends.lo;
    if (*after > 0) all->hi = ends.hi;
  }
  return all;
}

/// What two bounds of the operator's points are apart, where those are few whatever the sizes.
std::optional<std::int64_t> FewBetween(const graph::Bound& low, const graph::Bound& high) {
  constexpr std::int64_t kFew = 8;
  if (low.divisor != 1 || high.divisor != 1) return std::nullopt;
  const auto size = Difference(high.numerator, low.numerator);
  return size && *size < kFew ? size : std::nullopt;
}

bool HasFew(const graph::Interval& points) {
  return std::any_of(points.lower.begin(), points.lower.end(), [&](const graph::Bound& low) {
    return std::any_of(points.upper.begin(), points.upper.end(),
                       [&](const graph::Bound& high) { return FewBetween(low, high).has_value(); });
  });
}

/// The few points along a dimension that an operator computes, from the end that is near: how far
/// behind the first stored point they begin and end, or how far before the last one. Negative
/// beyond it.
struct ReadSpan {
  bool first = true;
  std::int64_t near = 0, far = 0;
};

std::optional<ReadSpan> SpanOf(const graph::Interval& points, const Ends& ends) {
  for (const graph::Bound& low : points.lower) {
    for (const graph::Bound& high : points.upper) {
      const auto size = FewBetween(low, high);
      if (!size) continue;
      const auto behind = Difference(low.numerator, ends.lo);
      const auto before = Difference(ends.hi, high.numerator);
      if (behind && (!before || *behind <= *before))
        return ReadSpan{true, *behind, *behind + *size};
      if (before) return ReadSpan{false, *before, *before + *size};
    }
  }
  return std::nullopt;
}

/// Points that every tile but those at the ends stores in a row along the dimension.
std::int64_t InARow(const Tile& tile, std::size_t d) {
  if (tile.stream != d) return tile.Stored(d) - (d + 1 == tile.dimensions ? tile.alignment - 1 : 0);
  if (tile.shortest > 0) return tile.shortest;
  return tile.chunk == 0 ? std::int64_t{1} << 30 : tile.chunk;
}

/// True where every statement reads what arrays have, and none computes a fixed few points.
bool IsPlainAlong(const graph::Graph& graph, const Tile& tile, std::size_t d) {
  const bool wraps =
      std::any_of(tile.versions.begin(), tile.versions.end(), [&](const TileVersion& version) {
        return version.wraps[d] || ArrayOf(graph, version.version).rank() != tile.dimensions;
      });
  return !wraps && std::none_of(tile.ops.begin(), tile.ops.end(), [&](const TileOperator& each) {
    const auto& op = std::get<Operator>(graph.nodes[each.node]);
    return HasModes(graph, op) || HasFew(op.domain.intervals[d]);
  });
}

}  // namespace

Halo NeededHalo(const graph::Graph& graph, const Tile& tile, int index, const Offset& offset,
                VersionId version) {
  const TileOperator& tile_op = tile.ops[static_cast<std::size_t>(index)];
  const auto& op = std::get<Operator>(graph.nodes[tile_op.node]);
  Halo needed = tile.versions[static_cast<std::size_t>(tile.Find(op.result))].halo;
  for (std::size_t d = 0; d < tile.dimensions; ++d) {
    needed.lo[d] = std::max<std::int64_t>(needed.lo[d] - offset[d], 0);
    needed.hi[d] = std::max<std::int64_t>(needed.hi[d] + offset[d], 0);
    // Most operators are at no wall: the cheap question first.
    const graph::Interval& points = op.domain.intervals[d];
    if (offset[d] == 0 || !HasFew(points) || tile_op.scatter || HasModes(graph, op)) continue;
    const auto ends = StoredEnds(graph, tile, d);
    const auto span = ends ? SpanOf(points, *ends) : std::nullopt;
    if (!span) continue;
    if (span->first && offset[d] > 0) {
      // Of tiles that have the wall, the one that ends soonest is whole, or ends where all do.
      const auto beyond = Difference(ArrayOf(graph, version).extents[d] - 1, ends->hi);
      if (!beyond || InARow(tile, d) <= span->far + offset[d]) continue;
      needed.hi[d] = std::min(needed.hi[d], std::max<std::int64_t>(*beyond, 0));
    }
    if (!span->first && offset[d] < 0) {
      // The last tile may store the last point alone.
      const std::int64_t between = span->far - offset[d];
      if (InARow(tile, d) <= between) continue;
      needed.lo[d] = std::min(needed.lo[d], std::max<std::int64_t>(between, 0));
    }
  }
  return needed;
}

Halo FindSpared(const graph::Graph& graph, const Tile& tile) {
  constexpr std::size_t kVolume = 3;
  Halo spared;
  if (tile.dimensions < kVolume) return spared;
  for (std::size_t d = 0; d < tile.dimensions; ++d) {
    const auto ends = tile.stream == d ? std::nullopt : StoredEnds(graph, tile, d);
    if (!ends || !IsPlainAlong(graph, tile, d)) continue;
    // Arrays begin at 0, whatever they are; the longest one ends last.
    std::int64_t before = 0, after = 0;
    bool known = ends->lo.IsConstant();
    if (known) before = std::max<std::int64_t>(ends->lo.constant, 0);
    for (const TileVersion& version : tile.versions) {
      const auto beyond = Difference(ArrayOf(graph, version.version).extents[d] - 1, ends->hi);
      known = known && beyond;
      if (known) after = std::max(after, *beyond);
    }
    if (!known) continue;
    spared.lo[d] = std::max<std::int64_t>(tile.halo.lo[d] - before, 0);
    spared.hi[d] = std::max<std::int64_t>(tile.halo.hi[d] - after, 0);
  }
  return spared;
}

}  // namespace stencilgen::plan
