#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Computes scalars before a loop that are the same in each of its turns, so that other steps of
/// the turns may run together:
///
///     before: loop T: c = a*dt; u = ... c ...
///     after:  c = a*dt; loop T: u = ... c ...
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is, and the graph means the same.
graph::Graph HoistScalars(graph::Graph graph);

}  // namespace stencilgen::passes
