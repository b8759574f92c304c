#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "passes/shifted_values.h"

/// A value of many points as an array, for ShareValues.
namespace stencilgen::passes {

using Offset = std::vector<std::int64_t>;  ///< by iterator of the graph

/// Where an operator computes a value.
struct Occurrence {
  graph::NodeId node;
  graph::ExprId expr;
  Offset offset;
  bool always = true;  ///< no condition decides whether it is computed
};

/// Of the array, along an iterator.
struct SharedDimension {
  graph::LinearForm extent;
  graph::Boundary mode;  ///< of reads that may lie outside
};

/// An array for a value, and who reads it.
struct SharedArray {
  int number = -1;
  std::vector<Occurrence> occurrences;
  std::vector<int> iterators;
  std::vector<SharedDimension> dimensions;
  graph::Domain domain;
};

/// Adds the array to the graph, with the operator that computes it before all that read it, and
/// lets these read it. Returns its name.
/// Requires: `values` has numbered the operators of the occurrences, which are in the order of the
/// region.
std::string AddSharedArray(graph::Graph& graph, graph::RegionId region, const SharedArray& shared,
                           ShiftedValues& values);

}  // namespace stencilgen::passes
