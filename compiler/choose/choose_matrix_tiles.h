#pragma once

#include <array>

#include "graph/linear.h"
#include "machine/gpu.h"
#include "plan/plan.h"

namespace stencilgen::choose {

/// What was asked for of blocks along x, y and z: along the last iterator of a kernel, the one
/// before it, and so on. 0: chosen.
struct GivenTile {
  std::array<int, 3> threads = {};  ///< of a GPU's block
  std::array<int, 3> points = {};   ///< of a thread, or of a turn of a CPU's nest; packs along x
};

/// Matrix tiles (plan/matrix_tiles.h) for the kernels of a GPU's plan that may have one: blocks of
/// threads that have several points each, fewer where the program at these sizes would leave
/// multiprocessors without a block. What is given stays, and the rest fits it.
/// Requires: one value a parameter, or none.
plan::Plan AddMatrixTiles(plan::Plan plan, const machine::Gpu& device,
                          const graph::ParameterValues& sizes, const GivenTile& given = {});

/// The same for a CPU: as many rows and packs as have a register each.
plan::Plan AddMatrixTiles(plan::Plan plan, const GivenTile& given = {});

}  // namespace stencilgen::choose
