#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Integers that each turn of a loop sets to the next value of a cycle are functions of its
/// counter:
///
///   before: for (t = 0; t < T; t++) { ... u[1 - cur][i] = u[cur][i]; ... cur = 1 - cur; }
///   after:  for (t = 0; t < T; t++) { ... u[(t + 1) % 2][i] = u[t % 2][i]; ... }
///
/// Those are integers that only statements of the loop's own body set, in each turn, to values of
/// themselves and numbers, as also `tmp = now; now = next; next = tmp;` does. Their first values
/// are set before the loop, or in the declarations before the region (0 where these say none),
/// which Region::assumed notes; what the loop leaves in them is noted in Region::left. Statements
/// behind an outermost loop that read it get it as a function of the loop's bound, `T % 2`.
void ReplaceCyclicScalars(Region& region);

}  // namespace stencilgen::scop
