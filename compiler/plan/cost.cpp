#include "plan/cost.h"

#include <algorithm>
#include <set>

#include "graph/nodes.h"
#include "plan/kernel_cost.h"
#include "plan/looks.h"
#include "plan/matrix_tiles.h"
#include "plan/time_pipeline.h"
#include "plan/traffic_parts.h"
#include "support/match.h"
#include "support/to_double.h"

namespace stencilgen::plan {
namespace {

using graph::ParameterValues;

class PlanModel {
 public:
  PlanModel(const Plan& plan, const machine::Gpu& device, const ParameterValues& parameters,
            int register_limit, const PlanWork& work)
      : plan_(plan), device_(device), parameters_(parameters) {
    for (KernelId id : plan.kernels.Ids()) {
      cost_.kernels.push_back(
          EstimateKernel(plan, id, device, parameters, register_limit, work[id.index]));
    }
  }

  PlanCost Run() && {
    Count(plan_.steps, 1);
    for (const KernelCost& kernel : cost_.kernels) {
      if (kernel.launches > 0) cost_.seconds += kernel.launches * kernel.seconds;
    }
    return std::move(cost_);
  }

 private:
  /// What runs in turns that look at a loop's condition alone: kernels, and how often.
  struct InLooks {
    std::set<KernelId> kernels;
    double turns;
  };
  /// `loops`: how often the loop itself runs, with so many turns.
  InLooks LooksOf(const Repeat& repeat, double loops, std::int64_t turns) const {
    if (!repeat.loop.Valid()) return {};
    const auto& stop = graph::LoopOf(plan_.graph, repeat.loop).stop;
    if (!stop) return {};
    const Looks looks = FindLooks(plan_, repeat);
    const std::int64_t every = graph::Evaluate(stop->every, parameters_);
    const bool once_more = looks.results && turns % every != 0;
    return {looks.kernels, loops * ToDouble(turns / every + (once_more ? 1 : 0))};
  }

  void Count(const std::vector<Step>& steps, double turns, const InLooks& looks = {}) {
    for (const Step& step : steps) {
      Match(
          step,
          [&](const Launch& launch) {
            const bool looks_alone = looks.kernels.count(launch.kernel) > 0;
            cost_.kernels[launch.kernel.index].launches += looks_alone ? looks.turns : turns;
          },
          [](const AssignScalar&) {},
          [&](const CopyOutside& copy) { AddCopy(copy, copy.dst, turns); },
          [&](const CopyAll& copy) { AddCopy(copy, copy.dst, turns); },
          [&](const Repeat& repeat) {
            if (repeat.band && repeat.band->hexagon) {
              cost_.hexagons.push_back(EstimateHexagon(plan_, repeat, device_, parameters_));
              cost_.seconds += turns * cost_.hexagons.back().seconds;
              return;
            }
            const bool inside = RunsInKernel(plan_, repeat);
            const std::int64_t all = graph::Evaluate(repeat.turns, parameters_);
            const double times =
                inside ? 1 : ToDouble(graph::CeilDiv(all, StagesOf(plan_, repeat)));
            Count(repeat.body, turns * times, LooksOf(repeat, turns, all));
          });
    }
  }
  template <typename Copy>
  void AddCopy(const Copy& copy, BufferId buffer, double turns) {
    const std::int64_t bytes =
        2 * CountCopied(plan_, copy, parameters_) * stencilgen::ElementBytes(plan_.buffers[buffer]);
    cost_.seconds += turns * (kLaunchSeconds + ToDouble(bytes) / device_.memory_achieved);
  }

  const Plan& plan_;
  const machine::Gpu& device_;
  const ParameterValues& parameters_;
  PlanCost cost_;
};

/// False where no memory would hold the arrays, and counts might not fit in 64 bits.
bool CanCount(const Plan& plan, const ParameterValues& parameters) {
  constexpr double kMostElements = 1e13;
  return std::all_of(plan.buffers.begin(), plan.buffers.end(), [&](const Buffer& buffer) {
    double elements = 1;
    for (const graph::LinearForm& extent : buffer.extents) {
      elements *= std::max(1.0, ToDouble(graph::Evaluate(extent, parameters)));
    }
    return elements <= kMostElements;
  });
}

}  // namespace

std::string_view ToString(CostLimit limit) {
  switch (limit) {
    case CostLimit::Memory:
      return "memory bandwidth";
    case CostLimit::Cache:
      return "bandwidth of the second-level cache";
    case CostLimit::Arithmetic:
      return "arithmetic";
    case CostLimit::Issue:
      return "instructions";
    case CostLimit::Exchange:
      return "shared memory and first-level cache";
    case CostLimit::Latency:
      return "latency";
    case CostLimit::Launch:
      return "starting kernels";
  }
  return "";
}

PlanCost EstimateCost(const Plan& plan, const machine::Gpu& device,
                      const ParameterValues& parameters, int register_limit) {
  return EstimateCost(plan, device, parameters, register_limit, FindWork(plan));
}

PlanCost EstimateCost(const Plan& plan, const machine::Gpu& device,
                      const ParameterValues& parameters, int register_limit, const PlanWork& work) {
  if (!CanCount(plan, parameters)) return {};
  return PlanModel(plan, device, parameters, register_limit, work).Run();
}

}  // namespace stencilgen::plan
