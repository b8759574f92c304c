#pragma once

#include "scop/c_region.h"

/// Rewrites a region so that its scalars belong to points. It means the same afterwards.
namespace stencilgen::scop {

/// Conditions on counters that set a scalar for what follows them, as for corners and edges, get a
/// copy of what follows in each branch, so that each is a domain of its own. False where there are
/// none.
bool SplitPaths(Region& region);

/// Scalars that several loops or branches set anew become one each.
void SeparateScalars(Region& region);

}  // namespace stencilgen::scop
