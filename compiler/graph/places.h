#pragma once

#include "graph/graph.h"

/// Reads at places that are values: `u[z[r]]` (Index::place).
namespace stencilgen::graph {

/// True where an index of the access is the value of an expression: the element may be any along
/// that dimension.
bool HasPlace(const Access& access);

/// True where some element that the operator reads lies at such a place.
bool ReadsAtPlaces(const Graph& graph, const Operator& op);

}  // namespace stencilgen::graph
