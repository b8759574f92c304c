#pragma once

#include <vector>

#include "graph/graph.h"

namespace stencilgen::passes {

/// Takes a long statement apart: expressions inside its value, each within the next, are computed
/// by operators of their own before it, and read at its own points. Of a sum these are the sums of
/// its first terms, so that the operators accumulate it bit by bit. The order of operations stays:
/// results are the same, bit for bit.
///
/// Requires: graph::Verify(graph) is empty; `node` is an operator of the region on an array,
/// pieces >= 1. Ensures: the graph still is valid. Returns the new operators' results, at most
/// pieces - 1; fewer where a piece would have less than kShortestPiece flops.
std::vector<graph::VersionId> CutStatement(graph::Graph& graph, graph::RegionId region,
                                           graph::NodeId node, int pieces);

inline constexpr std::int64_t kShortestPiece = 12;

}  // namespace stencilgen::passes
