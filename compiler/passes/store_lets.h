#pragma once

#include <vector>

#include "graph/graph.h"
#include "passes/crossing.h"

namespace stencilgen::passes {

/// Lets that operators of several parts have alike ([S] 4.3.4: scalars are promoted to arrays): of
/// those that the rule stores, the first part gets an operator that computes the value into a local
/// array, and all others read it there at their own points. Larger lets come first, so that what
/// they are made of is looked at without them.
///
/// Requires: graph::Verify(graph) is empty; the stretch's operators follow each other. Ensures: it
/// still is, and the graph means the same, bit for bit; the stretch has the new operators.
std::vector<CrossingValue> StoreLets(graph::Graph& graph, Stretch& stretch,
                                     const CrossingRule& rule);

}  // namespace stencilgen::passes
