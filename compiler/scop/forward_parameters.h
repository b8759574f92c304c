#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Puts what functions are called with in the place of their parameters, where neither changes:
///
///   before: n_2 = n; c_2 = 0.25; for (i = 1; i < n_2 - 1; i++) v[i] = c_2*u[i];
///   after:  for (i = 1; i < n - 1; i++) v[i] = 0.25*u[i];
///
/// and so with scalars that stand for elements in loops, where nothing changes those:
///
///   before: double k = b[0]; for (i = 1; i < n - 1; i++) v[i] = k*u[i];
///   after:  for (i = 1; i < n - 1; i++) v[i] = b[0]*u[i];
void ForwardParameters(Region& region);

}  // namespace stencilgen::scop
