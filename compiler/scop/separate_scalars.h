#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Rewrites a region so that its scalars belong to points. Conditions on counters that set a scalar
/// for what follows them, as for corners and edges, get a copy of what follows in each branch, so
/// that each is a domain of its own; scalars that several loops or branches set anew become one
/// each. The region means the same afterwards.
void SeparateScalars(Region& region);

}  // namespace stencilgen::scop
