#pragma once

#include "graph/linear.h"
#include "machine/gpu.h"
#include "plan/plan.h"

namespace stencilgen::choose {

/// Matrix tiles (plan/matrix_tiles.h) for the kernels of a GPU's plan that may have one: blocks of
/// threads that have several points each, fewer where the program at these sizes would leave
/// multiprocessors without a block. Requires: one value a parameter, or none.
plan::Plan AddMatrixTiles(plan::Plan plan, const machine::Gpu& device,
                          const graph::ParameterValues& sizes);

/// The same for a CPU: as many rows and packs as have a register each.
plan::Plan AddMatrixTiles(plan::Plan plan);

}  // namespace stencilgen::choose
