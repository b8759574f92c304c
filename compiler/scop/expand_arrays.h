#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Arrays that each iteration of loops around sets before it reads them, so that no iteration needs
/// another one's, get an element for each iteration; what the last one leaves follows the loops:
///
///   before: for (r) {                       after: for (r) {
///             for (p) sum[p] = a[r][p];              for (p) sum_2[r][p] = a[r][p];
///             for (p) a[r][p] = sum[p];              for (p) a[r][p] = sum_2[r][p];
///           }                                      }
///                                                  for (p) sum[p] = sum_2[R - 1][p];
///
/// The same of scalars that a loop inside of those sets, as `t = 0; for (j) t += a[i][j];`.
///
/// True where there was one. Loops that do not count up by one from a number stay as they are.
bool ExpandArrays(Region& region);

}  // namespace stencilgen::scop
