#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "plan/schedule.h"
#include "plan/tile.h"

namespace stencilgen::plan {

/// A read of a version at a fixed distance.
struct Neighbour {
  int op = 0;  ///< of Tile::ops
  graph::VersionId version;
  Offset offset = {0, 0, 0};
  std::int64_t along = 0;  ///< planes ahead of the one that the operator finishes
  bool at_edges = false;   ///< only where a boundary mode moves a read
};

/// When a tile makes each plane and where it needs it: the lag and the halo of each version, the
/// tile's halo, its alignment, and the rims that are loaded beyond it where the schedule asks for
/// that.
/// Requires: the tile has its shape, operators, versions and stores; `reads` are all reads of its
/// versions, backgrounds among them.
void SetLagsAndHalos(const graph::Graph& graph, const Schedule& schedule,
                     const std::vector<Neighbour>& reads, Tile& tile);

}  // namespace stencilgen::plan
