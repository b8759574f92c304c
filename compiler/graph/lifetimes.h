#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// When nobody refers to a version any more. A version ends in the region that defines it: a use
/// inside a loop there counts as one by the loop.
struct Lifetimes {
  /// By region, by place of a node in it: the versions that end after that node, in order.
  std::vector<std::vector<std::vector<VersionId>>> ending;
  /// By region: the versions it defines that live to its end (loop results, outputs), in order.
  std::vector<std::vector<VersionId>> kept_to_end;
  /// By node, for loops: versions of enclosing regions that the body refers to. What the loop
  /// only takes as an initial value is not among them.
  std::vector<std::set<VersionId>> used_inside;
};

/// Requires: Verify(graph) is empty.
Lifetimes FindLifetimes(const Graph& graph);

}  // namespace stencilgen::graph
