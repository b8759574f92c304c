#pragma once

#include <string>
#include <vector>

#include "driver/choose_schedule.h"
#include "driver/pipeline.h"
#include "plan/plan.h"

namespace stencilgen::driver {

/// Where the options ask for statements or time steps in one kernel and the plan has several: which
/// request, which kernels, and why. One note a sequence of kernels, at most three.
std::vector<std::string> FindSplitKernels(const plan::Plan& plan, const PipelineOptions& options);

/// Where the options ask for hexagons: which loops have none, and why.
std::vector<std::string> FindLoopsWithoutHexagons(const ChosenPlan& chosen);

/// Why no tile holds the operators of the first kernel and the first one of the second; empty where
/// one would.
std::string RefusalBetween(const plan::Plan& plan, const plan::Kernel& first,
                           const plan::Kernel& second);

}  // namespace stencilgen::driver
