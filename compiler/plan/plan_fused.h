#pragma once

#include "plan/fusion.h"
#include "plan/plan.h"

namespace stencilgen::plan {

/// A plan whose kernels are the clusters of greedy fusion, and how it came to them.
struct FusedPlan {
  Plan plan;
  FusionResult fusion;  ///< node ids are the plan's graph's
};

/// Fuses greedily and plans. A cluster whose kernel is predicted to take longer (plan/cost.h) than
/// its operators alone is taken apart into the two it was made of, and so on: the plan is never
/// predicted to take longer than one without fusion.
/// Requires: graph::Verify(graph) is empty.
FusedPlan PlanFused(const graph::Graph& graph, const Schedule& schedule,
                    const FusionSettings& settings);

/// The plan with a kernel for each of these clusters, and one for every other operator.
/// Requires: graph::Verify(graph) is empty; clusters of operators of one region each, disjoint and
/// convex. What BuildTile refuses is planned in parts.
Plan PlanClusters(graph::Graph graph, const Schedule& schedule,
                  const std::vector<std::vector<graph::NodeId>>& clusters);

}  // namespace stencilgen::plan
