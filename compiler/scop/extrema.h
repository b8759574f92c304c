#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Notes the assignments that keep the smallest or largest of a scalar and another value:
/// `m = fmax(m, x)`, `m = x > m ? x : m` and `if (x > m) m = x;`, which becomes an assignment.
void FindExtrema(Region& region);

}  // namespace stencilgen::scop
