#pragma once

#include <vector>

#include "passes/trees/label_set.h"

namespace stencilgen::passes {

/// Maximal clusters of a node's children ([S] 4.3.2): two children are in one cluster where a chain
/// of children joins them whose neighbours share a label that is not live both before and after the
/// node. Children of different clusters do not influence each other's evaluation.
///
/// `uses`: by child. Gives places in `uses`, ascending in each cluster; clusters by first child.
std::vector<std::vector<int>> MaximalClusters(const std::vector<LabelSet>& uses,
                                              const LabelSet& passthrough);

/// What a cluster takes when it is evaluated first: labels live before and after it, and the most
/// registers on the way (su').
struct ClusterCost {
  int in = 0, out = 0, peak = 0;
};

/// The order of clusters with the least peak (theorems 1-3 of [S] 4.3.2): those that release
/// registers first, by growing peak; then the others, by falling peak - out. Equals keep their
/// order. All clusters have the same `in`.
std::vector<int> OrderClusters(const std::vector<ClusterCost>& costs);

}  // namespace stencilgen::passes
