#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Gives arrays that are indexed as `u[i*n + j]` their dimensions: factors of counters that are
/// sizes, or large numbers, are taken for what a row, or a plane, has. Whether the subscripts that
/// come of it stay inside their dimensions is left to the model.
void Delinearise(Region& region);

}  // namespace stencilgen::scop
