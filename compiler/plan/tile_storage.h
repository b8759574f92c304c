#pragma once

#include <vector>

#include "plan/tile.h"

namespace stencilgen::plan {

/// Decides where each plane of the tile's versions is held ([S] Fig. 3.5, 3.4.2), and
/// in which order a step loads, publishes, computes, stores and waits. A plane that only its own
/// threads read is in registers; one that others read is in shared memory, and in registers too, so
/// that a thread's own points come from there. A plane enters shared memory at the first age at
/// which others read it. Planes that are never there at the same time share memory; a version gets
/// one plane more where that saves a barrier and there is room.
/// `reads`: all of the tile that FindRead and FindBackground will find.
/// Ensures: planes, slots, regions, reaches, steps and shared_bytes are set.
void AssignStorage(const graph::Graph& graph, const Schedule& schedule,
                   const std::vector<std::vector<TileRead>>& reads, Tile& tile);

}  // namespace stencilgen::plan
