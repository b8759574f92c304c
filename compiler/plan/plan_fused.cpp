#include "plan/plan_fused.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "plan/cost.h"
#include "plan/fuse_greedy.h"
#include "plan/fuse_model.h"
#include "plan/order_clusters.h"
#include "plan/plan_kernels.h"
#include "plan/planner.h"

namespace stencilgen::plan {
namespace {

using graph::NodeId;

/// Takes clusters apart that do not pay.
class Undoer {
 public:
  Undoer(const graph::Graph& graph, const Schedule& schedule, const FusionSettings& settings)
      : graph_(graph),
        schedule_(schedule),
        device_(settings.device == nullptr ? machine::DefaultGpu() : *settings.device),
        sizes_(settings.sizes.empty() ? UsualSizes(graph) : settings.sizes),
        register_limit_(settings.register_limit),
        checked_(settings.check != nullptr),
        apart_(PlanClusters(graph, schedule, {})),
        apart_cost_(Price(apart_)) {
    for (const KernelCost& kernel : apart_cost_.kernels) {
      for (NodeId node : apart_.kernels[kernel.kernel].ops) {
        seconds_of_[node] = kernel.launches * kernel.seconds;
      }
    }
  }

  Plan Run(FusionResult& fusion) {
    for (;;) {
      Plan plan = PlanClusters(graph_, schedule_, Fused(fusion));
      const PlanCost cost = Price(plan);
      if (!Split(plan, cost, fusion)) {
        if (cost.seconds <= apart_cost_.seconds || checked_) return plan;
        Dissolve(cost, fusion);
        return std::move(apart_);
      }
    }
  }

 private:
  PlanCost Price(const Plan& plan) const {
    return EstimateCost(plan, device_, sizes_, register_limit_);
  }
  static std::vector<std::vector<NodeId>> Fused(const FusionResult& fusion) {
    std::vector<std::vector<NodeId>> fused;
    for (const RegionFusion& region : fusion.regions) {
      for (const std::vector<NodeId>& cluster : region.clusters) {
        if (cluster.size() > 1) fused.push_back(cluster);
      }
    }
    return fused;
  }

  /// True where some cluster was taken apart.
  bool Split(const Plan& plan, const PlanCost& cost, FusionResult& fusion) {
    bool any = false;
    std::map<NodeId, double> spent;  // by first operator of a kernel
    for (const KernelCost& kernel : cost.kernels) {
      spent[plan.kernels[kernel.kernel].ops.front()] = kernel.launches * kernel.seconds;
    }
    for (RegionFusion& region : fusion.regions) {
      std::vector<std::vector<NodeId>> kept;
      bool changed = false;
      for (const std::vector<NodeId>& cluster : region.clusters) {
        if (cluster.size() < 2) continue;
        double together = 0;
        double apart = 0;
        for (NodeId node : cluster) {
          apart += seconds_of_[node];
          if (const auto at = spent.find(node); at != spent.end()) together += at->second;
        }
        // Registers were the caller's to check: no estimate of them counts.
        if (together <= apart || (checked_ && std::isinf(together))) {
          kept.push_back(cluster);
          continue;
        }
        changed = true;
        Undo(region, cluster, together, apart, kept);
      }
      if (changed) region.clusters = OrderClusters(graph_, region.region, kept);
      any = any || changed;
    }
    return any;
  }

  /// Puts the two parts that the cluster was made of in its place.
  static void Undo(RegionFusion& region, const std::vector<NodeId>& cluster, double together,
                   double apart, std::vector<std::vector<NodeId>>& kept) {
    const auto nodes = [&](const std::vector<int>& places) {
      std::vector<NodeId> list;
      list.reserve(places.size());
      for (int place : places) list.push_back(region.operators[static_cast<std::size_t>(place)]);
      return list;
    };
    for (const FusionStep& step : region.steps) {
      if (!step.taken) continue;
      std::vector<int> all = step.taken->left;
      all.insert(all.end(), step.taken->right.begin(), step.taken->right.end());
      std::sort(all.begin(), all.end());
      if (nodes(all) != cluster) continue;
      for (const std::vector<int>* part : {&step.taken->left, &step.taken->right}) {
        if (part->size() > 1) kept.push_back(nodes(*part));
      }
      region.undone.push_back(
          {*step.taken,
           {FusionConstraint::Price,
            fmt::format(
                "its kernel is predicted to take {:.4g} us, its {} operators alone {:.4g} us",
                together * 1e6, cluster.size(), apart * 1e6)}});
      return;
    }
  }

  /// Every cluster at once, where what is between kernels makes the plan slower.
  void Dissolve(const PlanCost& cost, FusionResult& fusion) const {
    for (RegionFusion& region : fusion.regions) {
      const bool any = std::any_of(region.clusters.begin(), region.clusters.end(),
                                   [](const auto& cluster) { return cluster.size() > 1; });
      if (!any) continue;
      region.clusters = OrderClusters(graph_, region.region, {});
      region.undone.push_back(
          {{},
           {FusionConstraint::Price,
            fmt::format("copies between kernels included the program is predicted to take "
                        "{:.4g} us, without fusion {:.4g} us",
                        cost.seconds * 1e6, apart_cost_.seconds * 1e6)}});
    }
  }

  const graph::Graph& graph_;
  const Schedule& schedule_;
  const machine::Gpu& device_;
  const graph::ParameterValues sizes_;
  const int register_limit_;
  const bool checked_;
  Plan apart_;
  PlanCost apart_cost_;
  std::map<NodeId, double> seconds_of_;  ///< of an operator's own kernel
};

}  // namespace

Plan PlanClusters(graph::Graph graph, const Schedule& schedule,
                  const std::vector<std::vector<NodeId>>& clusters) {
  std::vector<int> cluster_of(graph.nodes.size(), -1);
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    for (NodeId node : clusters[k]) cluster_of[node.index] = static_cast<int>(k);
  }
  for (graph::RegionId region : graph.regions.Ids()) {
    std::vector<std::vector<NodeId>> here;
    std::set<int> seen;
    for (NodeId node : graph.regions[region].nodes) {
      const int k = cluster_of[node.index];
      if (k >= 0 && seen.insert(k).second) here.push_back(clusters[static_cast<std::size_t>(k)]);
    }
    if (here.empty()) continue;
    std::vector<NodeId> order;
    for (const std::vector<NodeId>& cluster : OrderClusters(graph, region, here)) {
      order.insert(order.end(), cluster.begin(), cluster.end());
    }
    graph.regions[region].nodes = std::move(order);
  }
  Schedule planned = schedule;
  planned.fusion = Fusion::Greedy;
  return Planner(std::move(graph), planned, std::move(cluster_of)).Run();
}

FusedPlan PlanFused(const graph::Graph& graph, const Schedule& schedule,
                    const FusionSettings& settings) {
  FusedPlan fused;
  fused.fusion = FuseGreedy(graph, schedule, settings);
  fused.plan = Undoer(graph, schedule, settings).Run(fused.fusion);
  return fused;
}

}  // namespace stencilgen::plan
