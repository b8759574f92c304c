#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// A loop of several operators whose points change elements of their own (graph/pointwise_loops.h)
/// becomes a loop for each.
///
///   before: loop k : M                            after: loop k : M
///             tmp.3 = s: tmp.2[i] + A[i][k]               tmp.3 = s: tmp.2[i] + A[i][k]
///             y.3 = s: y.2[i] + B[i][k]                 loop k : M
///                                                         y.3 = s: y.2[i] + B[i][k]
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is, and the graph means the same, bit
/// for bit.
graph::Graph SplitLoops(graph::Graph graph);

}  // namespace stencilgen::passes
