#pragma once

#include <array>
#include <string_view>

#include "driver/choose_schedule.h"
#include "graph/graph.h"
#include "plan/cost.h"

namespace stencilgen::driver {

/// What a GPU's time may be limited by, in the order of plan::KernelCost::alone.
inline constexpr std::array<std::string_view, 6> kUnits = {
    "memory", "second-level cache", "arithmetic", "instructions", "shared memory", "latency"};

/// Sums over all launches of one run of the program.
struct Totals {
  double moved = 0;                    ///< bytes that threads load and store
  double flops = 0;                    ///< with those of halos
  std::array<double, 6> seconds = {};  ///< that each of kUnits would take alone
};
Totals FindTotals(const plan::PlanCost& cost);

/// What nests of a CPU are predicted to take in one run; 0 where that is not known.
double SecondsOnCpu(const ChosenPlan& chosen);

/// Bytes of the arrays that the program gets and reads, and of those that it gives.
double EndToEndBytes(const graph::Graph& graph, const graph::ParameterValues& sizes);

}  // namespace stencilgen::driver
