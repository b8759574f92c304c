#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "plan/tile.h"

namespace stencilgen::plan {

/// Conditions on a coordinate: in `range`, and where `near` is set at most that far from what the
/// block stores.
struct TileCondition {
  std::vector<graph::Range> range;  ///< by dimension
  const Halo* near = nullptr;       ///< null: no such condition
  bool near_along_stream = true;    ///< `near` holds for planes too
};

/// Where the blocks of a tile's launch lie, and sums over all of them. The tile and graph must
/// outlive it.
class TileBlocks {
 public:
  TileBlocks(const graph::Graph& graph, const Tile& tile, const graph::ParameterValues& parameters);

  std::int64_t blocks() const { return tile_blocks_ * chunks_; }  ///< 0 where nothing is stored
  std::int64_t tiles() const { return tile_blocks_; }             ///< blocks of one chunk
  std::int64_t chunks() const { return chunks_; }
  std::int64_t steps() const { return steps_; }  ///< of the stream, of all chunks
  /// What is stored along the dimension, from the first tile's beginning (Tile::FirstTile).
  const graph::Range& Grid(std::size_t d) const { return grid_[d]; }
  /// Tiles along the dimension, which is not the stream's.
  std::int64_t Tiles(std::size_t d) const;

  std::vector<graph::Range> DomainOf(const graph::Operator& op) const;
  std::vector<graph::Range> ArrayOf(graph::VersionId version) const;
  /// The ranges, but where the version goes around all that the tiles need of it.
  std::vector<graph::Range> Around(std::vector<graph::Range> ranges,
                                   const TileVersion& version) const;
  std::vector<graph::Range> StoreRange(const TileStore& store) const;

  /// Threads' points along a dimension that fulfil the condition. `part`: only the points with that
  /// place in their thread; -1: all.
  std::int64_t Along(std::size_t d, const TileCondition& condition, int part) const;
  /// Planes of a version with that lag that fulfil the condition, over all chunks.
  std::int64_t AlongStream(const TileCondition& condition, std::int64_t lag) const;
  /// `point`: one of a thread's points; null for all.
  std::int64_t CountPoints(const TileCondition& condition, std::int64_t lag,
                           const std::array<int, 3>* point = nullptr) const;
  /// All threads' points in all steps.
  std::int64_t Everyone() const;
  /// Elements from `begin` to before `end`, counted from each block's first point, that the range
  /// has.
  std::int64_t AlongBlocks(std::size_t d, const graph::Range& range, std::int64_t begin,
                           std::int64_t end) const;

 private:
  bool SetGrid();
  std::int64_t Chunk() const;
  std::int64_t Parts(const graph::Range& range, std::int64_t first, std::size_t d, int part) const;

  const graph::Graph& graph_;
  const Tile& tile_;
  const graph::ParameterValues& parameters_;
  std::vector<graph::Range> grid_;
  std::vector<graph::Range> stored_;     ///< what all tiles store
  std::int64_t before_ = 0, after_ = 0;  ///< steps around a chunk
  std::int64_t tile_blocks_ = 1, chunks_ = 1, steps_ = 1;
};

/// What both ranges have.
graph::Range Cut(const graph::Range& a, const graph::Range& b);

}  // namespace stencilgen::plan
