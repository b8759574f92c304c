#include "driver/split_spilling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "driver/schedule_candidates.h"
#include "driver/split_plans.h"
#include "plan/cost.h"

namespace stencilgen::driver {
namespace {

/// What a plan should take.
struct Weighed {
  double seconds = 0;  ///< with what is spilled
  int spilled = 0;     ///< bytes a thread, of all kernels
};

class Splitter {
 public:
  Splitter(ChosenPlan chosen, const graph::Graph& graph, const PipelineOptions& options,
           CandidatePlanner& planner)
      : best_(std::move(chosen)),
        graph_(graph),
        options_(options),
        device_(DeviceOf(options)),
        planner_(planner) {
    schedule_ = options.schedule;
    schedule_.shared_memory = schedule_.shuffle = false;
    schedule_.stream.reset();
  }

  ChosenPlan Run() {
    constexpr int kEnough = 4;
    Weighed best = Weigh(best_.plan, Price(best_.plan));
    const int most = best.spilled > 0 ? MostParts(graph_) : 0;
    int worse = 0;
    for (int parts = 2; parts <= most && worse < kEnough && best.spilled > 0; ++parts) {
      ++worse;
      for (const passes::Crossing crossing : kCrossings) {
        PlannedCandidate planned = planner_.Plan({schedule_, 1, 0, parts, crossing}, {});
        const plan::PlanCost cost = Price(planned.plan);
        if (!std::isfinite(cost.seconds) || cost.seconds >= best.seconds || IsKnown(cost)) continue;
        const Weighed weighed = Weigh(planned.plan, cost);
        if (weighed.seconds >= best.seconds) continue;
        best = weighed;
        worse = 0;
        best_.plan = std::move(planned.plan);
        best_.fission = std::move(planned.fission);
        best_.fusion = {};
        best_.chosen = {schedule_, 1, cost.seconds, parts, crossing};
      }
    }
    return std::move(best_);
  }

 private:
  /// Registers are what ptxas is asked for.
  plan::PlanCost Price(const plan::Plan& plan) const {
    return plan::EstimateCost(plan, device_, best_.sizes);
  }

  /// Plans of the same kernels have the same price.
  bool IsKnown(const plan::PlanCost& cost) {
    const std::pair key(cost.kernels.size(), cost.seconds);
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) return true;
    known_.push_back(key);
    return false;
  }

  /// Each thread stores and loads what it spills once a step.
  Weighed Weigh(const plan::Plan& plan, const plan::PlanCost& cost) {
    Weighed weighed{cost.seconds, 0};
    const std::vector<int> spills = options_.count_spills(plan, options_.codegen);
    for (const plan::KernelCost& kernel : cost.kernels) {
      if (kernel.kernel.index >= spills.size()) continue;
      const int bytes = spills[kernel.kernel.index];
      const plan::Traffic& traffic = kernel.traffic;
      const double times = static_cast<double>(traffic.blocks) *
                           static_cast<double>(traffic.threads * traffic.steps) /
                           static_cast<double>(std::max<std::int64_t>(1, traffic.chunks));
      weighed.spilled += bytes;
      weighed.seconds += kernel.launches * times * bytes / device_.memory_achieved;
    }
    IsKnown(cost);
    return weighed;
  }

  ChosenPlan best_;
  const graph::Graph& graph_;
  const PipelineOptions& options_;
  const machine::Gpu& device_;
  CandidatePlanner& planner_;
  plan::Schedule schedule_;
  std::vector<std::pair<std::size_t, double>> known_;  ///< kernels and seconds
};

}  // namespace

ChosenPlan SplitWhereSpilling(ChosenPlan chosen, const graph::Graph& graph,
                              const PipelineOptions& options, CandidatePlanner& planner) {
  const int statements = CountOperators(graph);
  const GivenOptions& given = options.given;
  const bool tiled = given.shared_memory && options.schedule.shared_memory;
  const bool fixed = options.split || tiled || given.fusion || given.shuffle || given.stream ||
                     (given.time_tile && options.time_tile > 1);
  if (fixed || statements < 2 || statements > kMostSplit) return chosen;
  return Splitter(std::move(chosen), graph, options, planner).Run();
}

}  // namespace stencilgen::driver
