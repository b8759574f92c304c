#pragma once

#include <vector>

#include "plan/tile.h"

namespace stencilgen::plan {

/// Puts barriers into the tile's steps, none of which can be left out: between every two of them a
/// plane of shared memory is written and read by different threads. Those that are
/// there already are dropped. `reads` by operator. Then lists the steps that need no tests, which
/// may come before and after the others.
void PlaceBarriers(const std::vector<std::vector<TileRead>>& reads, Tile& tile);

/// True where, between two barriers, a plane of shared memory is both written and read by other
/// threads than its writer; also where steps without tests follow others or come before them.
bool HasHazard(const std::vector<std::vector<TileRead>>& reads, const Tile& tile);

int CountBarriers(const Tile& tile);

/// True where loads must stay where the steps have them: what a step loads is for later ones, with
/// barriers in between. Of arrays that nobody writes compilers move loads past those, to where they
/// save registers, and threads wait for each.
bool LoadsInOrder(const graph::Graph& graph, const Tile& tile);

}  // namespace stencilgen::plan
