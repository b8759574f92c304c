#pragma once

#include <string>
#include <vector>

#include "support/prng.h"
#include "support/stencil_writer.h"

namespace stencilgen::testing {

/// A time loop as most programs write it: one call makes the next values of a few fields, and swaps
/// make them the present ones.
struct SwapLoop {
  std::string stencil;
  std::vector<std::string> lines;  ///< of the program
};

/// Adds the loop's arrays to the world: one or two fields of two or three time levels, which later
/// statements may use too. `faces`: for statements on faces that some have.
SwapLoop WriteSwapLoop(Prng* prng, Prng* faces, World* world);

}  // namespace stencilgen::testing
