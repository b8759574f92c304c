#pragma once

#include <cstdint>

#include "support/test_program.h"

namespace stencilgen::testing {

struct GeneratorOptions {
  int size = 4;  ///< about how many stencils and calls
};

/// A random program, the same for the same seed on every platform. It is valid (warnings aside),
/// its floating-point values stay of the order of 1 for inputs in [-1, 1] and its integers small
/// for inputs in [-9, 9].
TestProgram GenerateProgram(std::uint64_t seed, const GeneratorOptions& options = {});

}  // namespace stencilgen::testing
