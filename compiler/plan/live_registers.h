#pragma once

#include "graph/graph.h"
#include "plan/tile.h"

namespace stencilgen::plan {

/// Registers of 32 bits that a value of the type takes.
int RegistersOf(ScalarType type);

/// Registers of 32 bits that values of a thread take at the step of the tile where they take most.
struct LiveRegisters {
  int planes = 0;   ///< points of planes that are live there, the one being computed among them
  int sums = 0;     ///< sums of planes to come
  int fetched = 0;  ///< of what the code of one point gets from shared memory or other threads

  int Total() const { return planes + sums + fetched; }
};

/// Follows a steady step of the stream: a plane is live from where it is made, or from the step's
/// beginning, to its last use, or to the step's end where it grows older in registers.
LiveRegisters FindLiveRegisters(const graph::Graph& graph, const Tile& tile);

}  // namespace stencilgen::plan
