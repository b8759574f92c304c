#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/body.h"
#include "lower/program_model.h"
#include "plan/tile.h"

namespace stencilgen::lower::cuda {

/// A thread's point, by dimension from its first.
using TilePoint = std::array<int, 3>;

/// What the bodies of an operator of a tile read, and where a thread finds it.
class TileElements {
 public:
  /// `op`: of the tile's. `points`: those that the body computes.
  TileElements(const graph::Graph& graph, const plan::Tile& tile, int op,
               const std::vector<TilePoint>& points);

  /// The read at the distance that the body's element has, counted from the thread's first point;
  /// empty where it is from memory.
  std::optional<plan::TileRead> Find(const graph::Access& element) const;

 private:
  using Distance = std::array<std::int64_t, 3>;

  const graph::Graph& graph_;
  const plan::Tile& tile_;
  int op_;
  std::map<std::pair<graph::VersionId, Distance>, std::optional<plan::TileRead>> reads_;
};

/// An operator's newest plane at some of a thread's points, as straight-line code. Of a scattered
/// sum: what that plane adds to each sum. Its statements are those of the planes that the sums
/// belong to, so that all parts read the elements of one plane.
struct TileBody {
  std::vector<graph::Operator> ops;  ///< of the statements: the operator, or one for each part
  kernel::Body written, ordered;
};
/// Elements that the tile holds in registers are `held`, and sums to which the body adds.
/// Requires: `kernel` has a tile.
TileBody OrderTile(const ProgramModel& model, plan::KernelId kernel, int op,
                   const std::vector<TilePoint>& points);

/// How many steps later than the others the plane is finished that the statement is about.
std::size_t StepsAhead(const plan::Tile& tile, const kernel::Statement& statement);
/// The statement's point of the thread.
TilePoint PointOf(const plan::Tile& tile, const kernel::Statement& statement);

}  // namespace stencilgen::lower::cuda
