#pragma once

#include "codegen/cuda/kernel.h"

namespace stencilgen::codegen::cuda {

/// The kernel of a tile: every block stores one tile of the grid, and walks along the stream where
/// there is one. Requires: the kernel has a tile.
KernelText PrintTileKernel(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::codegen::cuda
