#pragma once

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// The segment as a program of its own, on a rank's part of the grid. Every operator computes all
/// points that the local arrays have neighbours for; near an end that is not the array's own some
/// of these are wrong, as far inwards as the operator reads, and the next exchange puts them right.
/// Requires: grid, sources and ghosts are set. Ensures: graph::Verify(result.graph) is empty.
Segment MakeSegment(const Distributed& program, std::size_t number);

}  // namespace stencilgen::distribute
