#pragma once

#include <string>

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// The axes of the grid with their ghosts, the steps with their exchanges, and the segments'
/// graphs.
std::string Print(const Distributed& program);

/// The same without the graphs.
std::string PrintSteps(const Distributed& program);

}  // namespace stencilgen::distribute
