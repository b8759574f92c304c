#pragma once

#include <cstdint>

#include "support/test_program.h"

namespace stencilgen::testing {

/// A time loop of one to three statements on two or three arrays, some of which change places: of
/// the kind that runs in tiles of several turns. It may name its turn, with a source and receivers,
/// and it may end by a condition. The same for the same seed.
TestProgram RandomLoopProgram(std::uint64_t seed);

}  // namespace stencilgen::testing
