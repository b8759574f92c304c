#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace stencilgen::passes {

/// Time tiling at graph level: a loop of operators alone becomes a main loop, whose body is the
/// old one `steps` times, and a loop for the turns left over.
///
///   before: loop T                   after: loop floor((T)/2)
///             u.2 = s: u.1                    u.3 = s: u.1
///                                             u.4 = s: u.3
///                                           loop (T) mod 2
///                                             u.6 = s: u.5
///
/// A loop that runs fewer turns than `steps` takes as many steps as it can have turns. Where the
/// steps divide the count for certain there is no second loop. Loops around loops stay, and so does
/// one whose repetition would make the program too long: all loops together get at most
/// kMaxUnrolledOperators operators and kMaxUnrolledExprs expressions.
///
/// `keep_pointwise`: pointwise loops (graph/pointwise_loops.h), which a kernel may run whole, stay.
///
/// Requires: graph::Verify(graph) is empty, steps >= 1. Ensures: it still is, and the graph means
/// the same, bit for bit. Operators that were needed once a loop may now be needed only in its last
/// step: EliminateDead removes the others.
graph::Graph UnrollTime(graph::Graph graph, int steps, bool keep_pointwise = false);

inline constexpr std::size_t kMaxUnrolledOperators = 4096;
inline constexpr std::size_t kMaxUnrolledExprs = std::size_t{1} << 19;

}  // namespace stencilgen::passes
