#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Drops the boundary modes of accesses that never leave their array on their operator's domain:
/// the centre point of a stencil needs no test.
///
///   before: u.1 = s [i in 0..N - 1]: u.0[clamp: i - 1] + u.0[clamp: i]
///   after:  u.1 = s [i in 0..N - 1]: u.0[clamp: i - 1] + u.0[i]
///
/// Where an array is extrapolated, such an element is read as it is.
/// Requires: graph::Verify(graph) is empty. Ensures: it still is, and the graph means the same.
graph::Graph SimplifyBoundaries(graph::Graph graph);

}  // namespace stencilgen::passes
