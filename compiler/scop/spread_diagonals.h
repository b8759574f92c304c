#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// One counter in several subscripts of what is written names a diagonal; array assignments compute
/// boxes. A loop of one turn puts another counter in the place of the first:
///
///   before: for (i = 0; i < n; i++) a[i][i] = 1.0;
///   after:  for (i = 0; i < n; i++) for (i_2 = i; i_2 <= i; i_2++) a[i][i_2] = 1.0;
///
/// which is written as a condition at the points of a box. False, and nothing has changed, where
/// there is no diagonal.
bool SpreadDiagonals(Region& region);

}  // namespace stencilgen::scop
