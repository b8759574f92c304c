#pragma once

#include "graph/graph.h"

namespace stencilgen::driver {

/// What one call of a program does, counted on its graph.
struct Work {
  double points = 0;  ///< domain points of every operator, each as often as it is executed
  double flops = 0;   ///< graph::FlopsPerPoint times the points
  /// Bytes that have to move where nothing stays on chip between operators: for each execution of
  /// an operator, every array it reads and the array it writes, once. An array of lower rank counts
  /// the points along the iterators that index it.
  double bytes = 0;
};

/// Rank-0 operators (uniform scalars) count nothing.
Work CountWork(const graph::Graph& graph, const graph::ParameterValues& parameters);

}  // namespace stencilgen::driver
