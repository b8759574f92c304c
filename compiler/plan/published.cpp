#include "plan/published.h"

#include <algorithm>

#include "plan/tile_edges.h"

namespace stencilgen::plan {
namespace {

using Point = std::array<int, 3>;

/// Of its thread's points, the number of the one at `offset` from `point`, whoever its thread is.
std::size_t NumberAt(const Tile& tile, const Point& point,
                     const std::array<std::int64_t, 3>& offset) {
  std::size_t number = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t at = d < tile.dimensions ? point[d] + offset[d] : 0;
    const std::int64_t own = at - graph::FloorDiv(at, tile.points[d]) * tile.points[d];
    number = number * static_cast<std::size_t>(tile.points[d]) + static_cast<std::size_t>(own);
  }
  return number;
}

/// True where a plane is taken from shared memory into registers as it ages.
bool GrowsFromShared(const TileVersion& version) {
  for (std::size_t age = 1; age < version.planes.size(); ++age) {
    if (version.planes[age].registers && !version.planes[age - 1].registers) return true;
  }
  return false;
}

/// Points that move in one vector are published together.
void PublishVectors(std::vector<bool>& published, std::size_t vector) {
  for (std::size_t first = 0; first < published.size(); first += vector) {
    const auto begin = published.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(vector);
    if (std::find(begin, end, true) != end) std::fill(begin, end, true);
  }
}

}  // namespace

std::vector<std::vector<bool>> FindPublished(const graph::Graph& graph, const Tile& tile) {
  const std::vector<Point> points = PointsOf(tile);
  std::vector<std::vector<bool>> published;
  for (const TileVersion& version : tile.versions) {
    published.emplace_back(points.size(), GrowsFromShared(version));
  }
  for (std::size_t op = 0; op < tile.ops.size(); ++op) {
    for (const TileRead& read : FindAllReads(graph, tile, static_cast<int>(op))) {
      std::vector<bool>& those = published[static_cast<std::size_t>(read.version)];
      for (const Point& point : points) {
        if (PathOf(tile, read, point) == ReadPath::Shared) {
          those[NumberAt(tile, point, read.offset)] = true;
        }
      }
    }
  }
  for (std::size_t v = 0; v < published.size(); ++v) {
    const graph::Array& array = graph.arrays[graph.versions[tile.versions[v].version].array];
    const int vector = tile.alignment == 1 ? 1 : VectorOf(tile, array);
    PublishVectors(published[v], static_cast<std::size_t>(vector));
  }
  return published;
}

}  // namespace stencilgen::plan
