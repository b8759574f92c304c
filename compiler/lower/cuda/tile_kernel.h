#pragma once

#include "kernel/launch.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// The code of a tile (plan/tile.h). Requires: the kernel has one.
kernel::LaunchedKernel LowerTileKernel(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cuda
