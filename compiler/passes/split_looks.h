#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Takes a loop that a condition may end (graph::Stop) apart at the turns after which it looks. The
/// turns between two looks become a loop of their own, which nothing ends early and which does not
/// compute what only looks need, so that it may run in time tiles:
///
///   before: loop T until d.0 every 10      after: d.0 = false
///             u.2 = s: u.1                        loop floor((T)/10) until d.2
///             r.1 = sum of u.2 - u.1                loop 9
///             d.0 = r.1 < 1e-6                        u.4 = s: u.3
///                                                   u.6 = s: u.5
///                                                   r.1 = sum of u.6 - u.5
///                                                   d.2 = r.1 < 1e-6
///                                                 loop (T) mod 10 unless d.3
///                                                   u.8 = s: u.7
///
/// Loops stay where that gains nothing: fewer than three turns between looks, a number of them that
/// only the caller knows, named turns, a body that is more than operators, and reductions that a
/// turn needs for the next one, around which no tile can be.
///
/// Requires: graph::Verify(graph) is empty, no loop is unrolled. Ensures: it still is empty, and
/// the graph means the same, bit for bit. EliminateDead removes what only looks need from the turns
/// between them.
graph::Graph SplitLooks(graph::Graph graph);

}  // namespace stencilgen::passes
