#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Integers that stand for places, set by assignments, become definitions that nothing changes:
///
///   before: k = i*cols + j;                  after: int k_2 = i*cols + j;
///           c[k] = u[k] - u[k - cols];              c[k_2] = u[k_2] - u[k_2 - cols];
///
/// So they are read as what they are defined as (changes.h). Those stay whose value at a subscript
/// is not always that of one assignment before it, or is read after the region.
void SeparateIndices(Region& region);

}  // namespace stencilgen::scop
