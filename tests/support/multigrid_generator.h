#pragma once

#include <cstdint>

#include "support/test_program.h"

namespace stencilgen::testing {

/// A random program on arrays of several resolutions, of one to six elements at each point of the
/// coarsest one: statements read and write at multiples of iterators, with boundary modes or
/// around, at single places, in loops and reductions. The same seed gives the same program.
TestProgram GenerateMultigridProgram(std::uint64_t seed);

}  // namespace stencilgen::testing
