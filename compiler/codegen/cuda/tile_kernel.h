#pragma once

#include "codegen/program_model.h"
#include "kernel/launch.h"

namespace stencilgen::codegen::cuda {

/// The code of a tile (plan/tile.h). Requires: the kernel has one.
kernel::LaunchedKernel LowerTileKernel(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::codegen::cuda
