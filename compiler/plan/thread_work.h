#pragma once

#include <vector>

#include "machine/gpu.h"
#include "plan/plan.h"
#include "plan/traffic.h"

namespace stencilgen::plan {

/// What a thread of a kernel does and needs, whatever the extents and the chunks are.
struct ThreadWork {
  TileSums sums;               ///< how operators compute their sums (tile_body.h)
  int registers = 0;           ///< EstimateRegisters
  double levels = 0;           ///< cycles of the longest chain of results in a step, or for a point
  bool uses_arriving = false;  ///< a tile needs a plane of an input in the step that loads it
  bool publishes_arriving = false;  ///< its threads exchange such a plane in that step
  bool loads_in_order = false;      ///< LoadsInOrder (barriers.h)
  /// A tile in three dimensions reads so much of one array that ptxas takes all registers there are
  /// to load early, and spills heavily where it may not: sums of 125 points measured 1.25 to 1.6
  /// times as fast with one block a multiprocessor as with two.
  bool long_sums = false;
};
/// By kernel.
using PlanWork = std::vector<ThreadWork>;

PlanWork FindWork(const Plan& plan);

/// Registers that nvcc is likely to give a thread of the kernel.
int EstimateRegisters(const Plan& plan, const Kernel& kernel);
int EstimateRegisters(const graph::Graph& graph, const Tile& tile);
/// The estimate and what it may be too low by, which is more for large kernels: with fewer, a
/// kernel may spill.
int MostLikelyRegisters(int estimate);
/// Above it the compiler spills: what a block of so many threads leaves each.
/// `register_limit`: where the user has set one; else 0.
int MostRegisters(const machine::Gpu& device, int threads, int register_limit);

}  // namespace stencilgen::plan
