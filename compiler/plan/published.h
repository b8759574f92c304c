#pragma once

#include <vector>

#include "plan/tile.h"

namespace stencilgen::plan {

/// Of each version of the tile, which of its points a thread puts into shared memory where it
/// publishes it: those that some thread reads from there, and what moves in one vector with them.
/// In the order of PointsOf. Neighbours that are the thread's own points, or lanes of its row
/// where there are shuffles, need not be there:
///
///        lanes of a warp, 4 rows a thread, a star of reach 1
///   row 0  x x x x x x      read by the warp above
///   row 1  . . . . . .
///   row 2  . . . . . .
///   row 3  x x x x x x      read by the warp below
std::vector<std::vector<bool>> FindPublished(const graph::Graph& graph, const Tile& tile);

}  // namespace stencilgen::plan
