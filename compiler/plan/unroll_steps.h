#pragma once

#include "graph/graph.h"
#include "plan/tile.h"

namespace stencilgen::plan {

/// Steps of the stream in the body of the loop over them. From step to step each plane is in its
/// next variable: unrolled by the common period of all planes and sums in registers, the loop moves
/// none. By the longest of them where the period is long, and not at all where the code would leave
/// the cache of instructions. Pointers to planes of shared memory may be swapped: written out for
/// them too, a thread holds the addresses of all steps at once.
/// Requires: the tile has a stream and its storage is assigned.
int UnrollOfSteps(const graph::Graph& graph, const Tile& tile);

}  // namespace stencilgen::plan
