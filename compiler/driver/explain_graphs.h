#pragma once

#include <string>

#include "driver/choose_schedule.h"
#include "machine/gpu.h"

namespace stencilgen::driver {

/// A line for each loop of a plan for a GPU: which are launched as graphs, from how many turns on
/// and up to which sizes, or why turn by turn. `device`: null where nothing is known of it.
std::string ExplainGraphs(const ChosenPlan& chosen, const machine::Gpu* device);

}  // namespace stencilgen::driver
