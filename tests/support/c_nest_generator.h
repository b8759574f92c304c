#pragma once

#include <string>
#include <vector>

#include "support/prng.h"

/// Random regions of C: loop nests that a stencil program can mean, and such that none can.
namespace stencilgen::testing {

struct CRegion {
  std::string code;     ///< arrays, and a function with a region; for tests/exec/scop/check.h
  std::string run;      ///< statements that fill the arrays, call the function and add all bits
  std::string refused;  ///< what must be said of it; empty of a region that has a meaning
  int line = 0;         ///< of `code`, where that is said
  int rank = 1;         ///< of its arrays
};

/// A region whose names end in the number.
CRegion RandomRegion(Prng& prng, int number);

/// One whose conditions on counters leave out what is beyond the edges of arrays. Sizes are as
/// small as one, and all such are called where they are no numbers.
CRegion RandomEdgeRegion(Prng& prng, int number);

/// One with a dependence that no order of array assignments keeps, unless loops around these do.
CRegion RandomRefusedRegion(Prng& prng, int number);

}  // namespace stencilgen::testing
