#pragma once

#include "graph/graph.h"

namespace stencilgen::graph {

/// Adds the form's value to the graph, as an expression of the type and place of `like`:
/// `4*t + n - 1`. Requires: the form's parameters are the graph's.
ExprId AddFormValue(Graph& graph, const LinearForm& form, const Expr& like);

}  // namespace stencilgen::graph
