#pragma once

#include "graph/graph.h"

namespace stencilgen::graph {

/// The difference of `e - (m - e)`: what is read along a dimension that a straight line continues
/// (sema/extrapolate.h), told from what programs subtract themselves by its parts, which are all at
/// the place of the one access in the source. Null for other expressions.
const Binary* Extrapolated(const Graph& graph, ExprId id);

/// The graph as inside of arrays, where such a difference is the element at its place.
Graph WithoutLines(Graph graph);

/// True where both are accesses to one element with the same boundary modes, or such differences of
/// the same elements.
bool AreSameElement(const Graph& graph, ExprId a, ExprId b);

}  // namespace stencilgen::graph
