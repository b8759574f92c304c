#pragma once

#include <vector>

#include "graph/graph.h"

namespace stencilgen::plan {

/// All nodes of the region as clusters: those given, and each other node alone; each cluster after
/// all that it depends on, and of several that could come next the one with the earliest node.
/// Nodes of a cluster keep their order.
/// Requires: the clusters are of nodes of the region, disjoint and convex together.
std::vector<std::vector<graph::NodeId>> OrderClusters(
    const graph::Graph& graph, graph::RegionId region,
    const std::vector<std::vector<graph::NodeId>>& clusters);

}  // namespace stencilgen::plan
