#pragma once

#include <string>

#include "graph/graph.h"

namespace stencilgen::distribute {

/// Gives memory to scalars that outlive a turn or depend on arrays: each becomes an array of one
/// element, which every rank computes alike. What only depends on scalars of the caller stays a
/// scalar, which each segment computes anew. The conditions that end loops get memory too.
/// Ensures: no loop carries a scalar, and no scalar is computed of an array; the condition of a
/// loop's Stop is a version of an array with one element, which graph::Verify does not know.
void KeepScalarsInArrays(graph::Graph& graph);

/// A name that no array, parameter or iterator of the graph has: the one that is wished for, or the
/// same with a number.
std::string FreeName(const graph::Graph& graph, const std::string& wish);

}  // namespace stencilgen::distribute
