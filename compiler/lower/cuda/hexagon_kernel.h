#pragma once

#include <cstddef>

#include "kernel/code.h"
#include "kernel/launch.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// A loop in hexagons: its kernel, and the variable of the host that counts the launches, from 0 to
/// one more than there are halves of tiles.
struct LoweredHexagons {
  kernel::LaunchedKernel kernel;
  kernel::VarRef phase;
};

/// The kernel of a loop whose band has a hexagon (plan/hexagon.h). `number`: of the loop among
/// those with a band.
LoweredHexagons LowerHexagons(const ProgramModel& model, const plan::Repeat& repeat,
                              std::size_t number);

}  // namespace stencilgen::lower::cuda
