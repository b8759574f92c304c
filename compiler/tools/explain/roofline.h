#pragma once

#include <string>

#include "graph/graph.h"
#include "machine/gpu.h"
#include "plan/cost.h"

namespace stencilgen::driver {

/// The least time that a program's kernels could take on a device.
struct Roofline {
  std::string device;     ///< its model
  double bytes = 0;       ///< what each launch reads and writes at least, each element once
  double flops = 0;       ///< of the program, without those that halos repeat
  double peak = 0;        ///< flop/s of the widest type that is computed
  double memory = 0;      ///< seconds for the bytes, at the bandwidth that a copy reaches
  double arithmetic = 0;  ///< seconds for the flops, at the peak

  double seconds() const { return memory > arithmetic ? memory : arithmetic; }
  /// `memory bandwidth` or `arithmetic`
  const char* limit() const { return memory >= arithmetic ? "memory bandwidth" : "arithmetic"; }
};

/// For one run at these sizes. `graph` is the program before any plan, `cost` the plan's at these
/// sizes on the device.
Roofline FindRoofline(const graph::Graph& graph, const graph::ParameterValues& sizes,
                      const plan::PlanCost& cost, const machine::Gpu& device);

}  // namespace stencilgen::driver
