#pragma once

#include "kernel/launch.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// The plan's kernel as code. Without a tile: one point a thread and more where the schedule says
/// so; blocks along x cover the domain, along y and z they stride over it.
kernel::LaunchedKernel LowerKernel(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cuda
