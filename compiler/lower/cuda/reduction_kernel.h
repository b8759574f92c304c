#pragma once

#include "kernel/launch.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// A kernel with a thread for each lane of a reduction, which takes the lane's points one after the
/// other; neighbouring threads take neighbouring points.
kernel::LaunchedKernel LowerReduction(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cuda
