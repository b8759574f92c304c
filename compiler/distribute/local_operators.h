#pragma once

#include <vector>

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// Forms of a segment's parameters.
struct LocalForms {
  std::vector<LinearForm> origin;  ///< by axis: the global place of the first local point
  std::vector<LinearForm> size;    ///< by axis: local points
  /// By axis: where a rank's own points begin and end, in local places; where something reads
  /// single elements.
  std::vector<LinearForm> own_first, own_end;
};

/// Makes arrays, domains and indices of the graph local: all places along axes of the grid are from
/// a rank's first point on. Iterators as values stay global, and so do the domains of operators
/// that every rank computes: of arrays that ranks share these read a rank's own elements, and 0 for
/// those of others. Requires: the grid is of the graph.
void MakeLocal(graph::Graph& graph, const Grid& grid, const LocalForms& forms);

}  // namespace stencilgen::distribute
