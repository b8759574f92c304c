#include "plan/cost.h"

#include <algorithm>

#include "plan/kernel_cost.h"
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
  void Count(const std::vector<Step>& steps, double turns) {
    for (const Step& step : steps) {
      Match(
          step, [&](const Launch& launch) { cost_.kernels[launch.kernel.index].launches += turns; },
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
            Count(repeat.body, turns * times);
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
