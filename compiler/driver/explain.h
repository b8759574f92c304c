#pragma once

#include <string>

#include "driver/options.h"
#include "plan/device.h"
#include "plan/plan.h"

namespace stencilgen::driver {

/// What `--explain` says: for each kernel of the plan, in the order of the plan, what it computes,
/// its block, the points a thread, its stream, and how many of its blocks an SM of the device runs
/// at a time (without a device not that). Lines end in a newline.
std::string Explain(const plan::Plan& plan, const plan::Device* device = &plan::DefaultDevice());

/// The device of `--arch`, or the default one; null where it is not known.
const plan::Device* ExplainedDevice(const Options& options);

}  // namespace stencilgen::driver
