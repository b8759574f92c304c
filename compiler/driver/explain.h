#pragma once

#include <string>

#include "driver/choose_schedule.h"
#include "driver/options.h"
#include "machine/gpu.h"

namespace stencilgen::driver {

/// What `--explain` says: for each kernel, in the order of the plan, what it computes, its tile and
/// where that is held, the bytes it moves, and with a device its predicted time and what limits it;
/// then the schedules that lost. Lines end in a newline.
std::string Explain(const ChosenPlan& chosen, const machine::Gpu* device = &machine::DefaultGpu());

/// The device of `--arch`, or the default one; null where it is not known.
const machine::Gpu* ExplainedDevice(const Options& options);

/// `u, v (3 statements)`: the stencils a kernel takes its operators from.
std::string OperatorsText(const plan::Plan& plan, const plan::Kernel& kernel);

/// The lines about a kernel with a matrix tile.
std::string ExplainMatrix(const plan::Plan& plan, const plan::Kernel& kernel);

/// `M=512, N=512 (N assumed)`: the sizes of the prediction; empty where the program has none.
std::string SizesText(const ChosenPlan& chosen);
/// The same behind ` with `.
std::string WithSizes(const ChosenPlan& chosen);

/// `1.25 ms`, `40 us`
std::string TimeText(double seconds);

}  // namespace stencilgen::driver
