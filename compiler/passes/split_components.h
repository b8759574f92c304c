#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Makes the components of an array, `u[0]`, `u[1]`, ..., arrays of their own: each has versions,
/// buffers and domains for itself, so that statements that write different components are fused,
/// run side by side and in tiles of several turns, as if the program had named them `u_0`, `u_1`.
/// The program's arrays stay its interface: graph::Array::component says which part of one an array
/// is. A statement that an iterator takes over components is repeated, once a component.
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is; outputs are the same, bit for
/// bit; where nothing is taken apart, the graph is what it was.
graph::Graph SplitComponents(graph::Graph graph);

}  // namespace stencilgen::passes
