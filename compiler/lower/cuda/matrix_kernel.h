#pragma once

#include "kernel/launch.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// A kernel with a matrix tile. A block has a box of points, each thread some of them, whose values
/// stay in registers through all turns; what the points of a block read of rows and columns comes
/// through boxes in shared memory, so many turns at a time ([P] Fig. 2). Beyond the ends of a
/// domain the last point is computed again, and not stored.
/// Requires: the kernel has one.
kernel::LaunchedKernel LowerMatrixKernel(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cuda
