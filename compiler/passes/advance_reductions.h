#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Puts what adds up points in lanes (graph/reduction.h, round 1) right behind what makes its
/// operands, and what reads the same operands next to each other, so that one kernel may have both:
///
///     before: q = A p; x = x + a p; s = sum of p q in 64 x 1024 lanes
///     after:  q = A p; s = sum of p q in 64 x 1024 lanes; x = x + a p
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is, and the graph means the same.
graph::Graph AdvanceReductions(graph::Graph graph);

}  // namespace stencilgen::passes
