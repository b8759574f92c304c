#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "machine/gpu.h"
#include "plan/choose_hexagon.h"
#include "plan/occupancy.h"
#include "plan/plan.h"
#include "plan/thread_work.h"
#include "plan/traffic.h"
#include "stencilgen/chunks.hpp"

namespace stencilgen::plan {

/// What a launch spends most of its time on.
enum class CostLimit : std::uint8_t {
  Memory,      ///< bytes to and from device memory
  Cache,       ///< bytes to and from the second-level cache
  Arithmetic,  ///< floating-point units
  Issue,       ///< instructions of all kinds
  Exchange,    ///< shared memory, first-level cache and shuffles
  Latency,     ///< waiting for loads, barriers and results
  Launch       ///< starting kernels
};
/// `memory bandwidth`, `instructions`, ...
std::string_view ToString(CostLimit limit);

/// The predicted time of a kernel.
struct KernelCost {
  KernelId kernel;
  Traffic traffic;  ///< of one launch
  Occupancy occupancy;
  int registers = 0;  ///< estimate, a thread
  /// Kernel::resident: of the blocks that a multiprocessor should run, where registers are scarce.
  int resident = 0;
  ChunkCosts chunks;    ///< where it walks along a stream: what chunks of it cost
  double launches = 0;  ///< in one run of the program
  double seconds = 0;   ///< of one launch
  /// Of one launch, if nothing else took time: by CostLimit, Memory to Latency.
  std::array<double, 6> alone = {};
  CostLimit limit = CostLimit::Memory;
};

struct PlanCost {
  double seconds = 0;  ///< of one run of the program, copies to and from the host aside
  std::vector<KernelCost> kernels;
  std::vector<HexagonCost> hexagons;  ///< by loop that has them, in the plan's order
};

/// Estimates how long the plan takes on the device. Infinite where a kernel cannot run there
/// without spilling registers. `register_limit`: of a thread, where the user has set one; else 0.
/// Nothing where the arrays are larger than any memory. `work`: FindWork of the plan, which who
/// asks several times finds once. Requires: one value a parameter.
PlanCost EstimateCost(const Plan& plan, const machine::Gpu& device,
                      const graph::ParameterValues& parameters, int register_limit,
                      const PlanWork& work);
PlanCost EstimateCost(const Plan& plan, const machine::Gpu& device,
                      const graph::ParameterValues& parameters, int register_limit = 0);

}  // namespace stencilgen::plan
