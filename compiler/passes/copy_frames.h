#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Loops that update an array in place and then set its edges copy what surrounds the update in
/// every turn, from one memory to another. Here that becomes operators, one a side, which tiles of
/// several turns may have like all others:
///
///   before: u.2 = heat [1..M - 2] over u.1: u.1[i - 1] + u.1[i + 1]
///           u.3 = edge [0..0] over u.2: u.2[i + 1]
///   after:  u.3 = heat_frame [0..0]: u.1[i]
///           u.4 = heat_frame [M - 1..M - 1] over u.3: u.1[i]
///           u.2 = heat [1..M - 2] over u.4: u.1[i - 1] + u.1[i + 1]
///           u.5 = edge [0..0] over u.2: u.2[i + 1]
///
/// Loops whose edges nobody sets keep them: their memory has them from the start.
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is, and the graph means the same, bit
/// for bit.
graph::Graph CopyFrames(graph::Graph graph);

}  // namespace stencilgen::passes
