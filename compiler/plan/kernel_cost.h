#pragma once

#include "plan/cost.h"

namespace stencilgen::plan {

constexpr double kLaunchSeconds = 3e-6;  ///< from one kernel's end to the next one's start

/// What EstimateCost says of one launch of a kernel, whose threads do `work`.
KernelCost EstimateKernel(const Plan& plan, KernelId id, const machine::Gpu& device,
                          const graph::ParameterValues& parameters, int register_limit,
                          const ThreadWork& work);

}  // namespace stencilgen::plan
