#pragma once

#include <string>
#include <vector>

#include "choose/nest_options.h"
#include "plan/plan.h"

namespace stencilgen::choose {

/// What the choice of a kernel's nest went by, in cycles of a core with vectors of 64 bytes for two
/// vectors of points (nest_cost.h).
struct NestReport {
  double cycles = 0;       ///< of the nest, whatever limits it
  double core = 0;         ///< of these, what the core and the caches near it take
  double memory = 0;       ///< of these, what memory takes
  double plain = 0;        ///< of a plain nest without tiles, where another was chosen; else 0
  double bytes = 0;        ///< a point, out of memory and back
  double seconds = 0;      ///< of one launch at the sizes of the options, on all cores
  double points = 0;       ///< of one launch
  bool by_memory = false;  ///< what is moved takes longer than what is computed
  std::string reason;      ///< why it is this nest: `vectors gain 1.5`
};

/// A plan whose kernels have nests.
struct ChosenNests {
  plan::Plan plan;
  std::vector<NestReport> reports;  ///< by kernel
};

/// Brings what a report says of a launch of the nest up to date: its time at the sizes of the
/// options, its bytes and points, and what limits it. Takes `core` from the report.
void PriceNest(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops,
               const plan::LoopNest& nest, const NestOptions& options, NestReport& report);

/// The plan with kernels that share their loops (plan/fuse_loops.h) where the cycles of one nest
/// are fewer than those of two: where they read the same arrays, or one what the other has made;
/// with Fusion::Max wherever they may, with Fusion::None nowhere. Each kernel then has a nest: in
/// vectors where that is faster by enough, with what the options give.
/// Requires: plan::Verify(plan) is empty; no kernel has a tile or a stream.
/// Ensures: plan::Verify of the result is empty; all its kernels have nests.
ChosenNests ChooseNests(plan::Plan plan, const NestOptions& options);

}  // namespace stencilgen::choose
