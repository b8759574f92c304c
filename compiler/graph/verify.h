#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// Every broken invariant in words, empty for a valid graph: ids in range, each version defined
/// once and before its uses (loop scoping included), arity and types of expressions, one interval
/// an iterator and each bounded on both sides, targets injective and inside the array, boundary
/// lists of the right length, accumulation groups with one domain, every access without boundary
/// mode inside its array on the operator's domain.
std::vector<std::string> Verify(const Graph& graph);

}  // namespace stencilgen::graph
