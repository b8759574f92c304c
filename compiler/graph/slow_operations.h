#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace stencilgen::graph {

/// What the expression itself computes, without its operands, in divisions: a floating-point
/// division or square root is one, a division by a root none besides the root; exponentials, powers
/// and angles are three. All else is 0.
std::int64_t SlowOperations(const Graph& graph, const Expr& expr);

}  // namespace stencilgen::graph
