#pragma once

#include <string>
#include <vector>

#include "driver/choose_schedule.h"
#include "driver/pipeline.h"
#include "graph/graph.h"
#include "machine/gpu.h"
#include "plan/cost.h"

namespace stencilgen::driver {

/// Something that could be otherwise, and what the program would then take by the same model.
struct Change {
  std::string what;    ///< `--stream k`, `twice the clock`
  double seconds = 0;  ///< infinite where it cannot run
  std::string limit;   ///< of the kernel that would take longest: `memory bandwidth`; may be empty
};

/// What the command line leaves open, each choice forced in turn; the fastest first. `graph` is the
/// program before any plan, `cost` the chosen plan's on the device.
std::vector<Change> FindOtherOptions(const graph::Graph& graph, const ChosenPlan& chosen,
                                     const plan::PlanCost& cost, const PipelineOptions& options,
                                     const machine::Gpu& device);

/// The same plan on a device with one part twice as fast.
std::vector<Change> FindFasterParts(const ChosenPlan& chosen, const machine::Gpu& device);

}  // namespace stencilgen::driver
