#pragma once

#include <vector>

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// Forms of a segment's parameters.
struct LocalForms {
  std::vector<LinearForm> origin;  ///< by axis: the global place of the first local point
  std::vector<LinearForm> size;    ///< by axis: local points
};

/// Makes arrays, domains and indices of the graph local: all places along axes of the grid are from
/// a rank's first point on. Iterators as values stay global.
/// Requires: the grid is of the graph.
void MakeLocal(graph::Graph& graph, const Grid& grid, const LocalForms& forms);

}  // namespace stencilgen::distribute
