#pragma once

#include "plan/fusion.h"

namespace stencilgen::plan {

/// The greedy algorithm of [S] 3.5, region by region: resources of each operator, candidates
/// without a path through a third cluster, resources of each pair, its tuple, and the most
/// profitable pair that meets every constraint becomes a cluster; again until there is none.
/// `fuse_greedy.md` beside this file says what was decided where the text leaves room.
/// Requires: graph::Verify(graph) is empty.
/// Ensures: the clusters are convex; none has more than schedule.most_operators operators.
FusionResult FuseGreedy(const graph::Graph& graph, const Schedule& schedule,
                        const FusionSettings& settings);

}  // namespace stencilgen::plan
