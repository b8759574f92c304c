#pragma once

#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// The operator's accesses in branches of conditionals, which may not be evaluated.
std::vector<ExprId> ChosenAccesses(const Graph& graph, const Operator& op);

}  // namespace stencilgen::graph
