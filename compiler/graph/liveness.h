#pragma once

#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// How much of a version anyone reads.
struct Need {
  bool needed = false;
  /// The part that must be there, one interval an array dimension; empty list: all of it. It is
  /// the hull of what operators, loops and outputs read, less what later versions overwrite first.
  std::vector<Interval> region;
};

/// For every version, by index, what is needed of it, propagated backward from the outputs.
/// A version that is not needed makes its operator dead.
std::vector<Need> FindNeeds(const Graph& graph);

}  // namespace stencilgen::graph
