#pragma once

#include "support/prng.h"
#include "support/test_program.h"

namespace stencilgen::testing {

/// A random program whose statements compute divisions, roots and functions of the same arrays at
/// several places: in two dimensions or three, with boundary modes or on parts of the arrays, in
/// locals, below conditions, in a loop or not.
TestProgram RandomSlowValues(Prng* prng, int number);

}  // namespace stencilgen::testing
