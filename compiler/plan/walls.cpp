#include "plan/walls.h"

#include <algorithm>

namespace stencilgen::plan {
namespace {

/// Where a range always begins; empty where that depends on parameters.
std::optional<std::int64_t> FixedStart(const graph::Interval& interval) {
  if (interval.lower.size() != 1) return std::nullopt;
  const graph::Bound& low = interval.lower.front();
  if (low.divisor != 1 || !low.numerator.IsConstant()) return std::nullopt;
  return low.numerator.constant;
}

/// Where the first tile begins along x; empty where that depends on parameters.
std::optional<std::int64_t> FirstStart(const graph::Graph& graph, const Tile& tile) {
  std::optional<std::int64_t> least;
  for (const TileStore& store : tile.stores) {
    const graph::NodeId node = graph.versions[store.version].node;
    const auto& op = std::get<graph::Operator>(graph.nodes[node]);
    const auto start = store.whole ? 0 : FixedStart(op.domain.intervals.back());
    if (!start) return std::nullopt;
    least = std::min(*start, least.value_or(*start));
  }
  if (least) least = tile.FirstTile(tile.dimensions - 1, *least);
  return least;
}

/// A wall near the beginning of rows lies at the same places of threads in all blocks that have it.
std::vector<bool> PlacesOf(const graph::Graph& graph, const Tile& tile,
                           const graph::Interval& interval) {
  const std::size_t x = tile.dimensions - 1;
  const auto low = FixedStart(interval);
  const auto first = FirstStart(graph, tile);
  if (!low || !first || tile.stream == x) return {};
  std::vector<bool> places(static_cast<std::size_t>(tile.points[x]), false);
  for (const graph::Bound& high : interval.upper) {
    if (high.divisor != 1 || !high.numerator.IsConstant()) continue;
    for (std::int64_t at = *low; at <= high.numerator.constant; ++at) {
      for (int block = 0; block < tile.points[x]; ++block) {
        const std::int64_t start = *first + block * tile.Stored(x) - tile.halo.lo[x];
        const std::int64_t place =
            at - start - graph::FloorDiv(at - start, tile.points[x]) * tile.points[x];
        places[static_cast<std::size_t>(place)] = true;
      }
    }
    return places;
  }
  return {};
}

}  // namespace

std::optional<Wall> FindWall(const graph::Graph& graph, const Tile& tile, int index) {
  const TileOperator& tile_op = tile.ops[static_cast<std::size_t>(index)];
  const auto& op = std::get<graph::Operator>(graph.nodes[tile_op.node]);
  // Its background must be at hand, or nobody may miss it.
  const bool held = FindBackground(graph, tile, index).has_value();
  if (tile_op.scatter || (tile_op.background && !held)) return std::nullopt;
  constexpr std::int64_t kFew = 8;
  const graph::Array& array = graph.arrays[graph.versions[op.result].array];
  for (std::size_t d = 0; d < tile.dimensions; ++d) {
    const graph::LinearForm& extent = array.extents[d];
    for (const graph::Bound& low : op.domain.intervals[d].lower) {
      for (const graph::Bound& high : op.domain.intervals[d].upper) {
        if (low.divisor != 1 || high.divisor != 1) continue;
        const graph::LinearForm size = high.numerator - low.numerator + 1;
        if (!size.IsConstant() || size.constant > kFew) continue;
        Wall wall{d, low.numerator.IsConstant(), {}};
        if (extent.IsConstant()) {
          if (extent.constant <= 4 * size.constant) continue;
          wall.first = 2 * low.numerator.constant < extent.constant;
        }
        if (d + 1 == tile.dimensions) wall.places = PlacesOf(graph, tile, op.domain.intervals[d]);
        return wall;
      }
    }
  }
  return std::nullopt;
}

}  // namespace stencilgen::plan
