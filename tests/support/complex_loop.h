#pragma once

#include <string>
#include <vector>

#include "support/prng.h"
#include "support/stencil_writer.h"

namespace stencilgen::testing {

/// What a program with complex numbers has besides its other parts.
struct ComplexLoop {
  std::string declarations, lists, boundaries, stencils, copy_out;
  std::vector<std::string> lines;  ///< calls
};

/// A time loop over two complex arrays, with products, quotients, reductions and locals; values
/// stay of the order of 1. Its names start with `z`.
ComplexLoop WriteComplexLoop(Prng* prng, const World& world);

}  // namespace stencilgen::testing
