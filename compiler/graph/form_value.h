#pragma once

#include "graph/graph.h"

namespace stencilgen::graph {

/// Adds the form's value to the graph, as an expression of the type and place of `like`:
/// `4*t + n - 1`. Requires: the form's parameters are the graph's; `like` is none of
/// the graph's own expressions, which move.
ExprId AddFormValue(Graph& graph, const LinearForm& form, const Expr& like);

}  // namespace stencilgen::graph
