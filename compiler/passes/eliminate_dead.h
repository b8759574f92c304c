#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Removes operators, loops and carried arrays that no output needs, and the locals that go with
/// them.
/// Requires: graph::Verify(graph) is empty. Ensures: it still is, outputs mean the same, and
/// graph::FindNeeds finds every remaining operator needed.
graph::Graph EliminateDead(graph::Graph graph);

}  // namespace stencilgen::passes
