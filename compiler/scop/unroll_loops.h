#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Short loops of a known number of turns over distances are written out:
///
///   before: for (p = -1; p <= 1; p++) sum += w[p + 1] * u[i + p];
///   after:  sum += w[0] * u[i - 1]; sum += w[1] * u[i]; sum += w[2] * u[i + 1];
///
/// also around other loops, as those over the directions of a lattice are. Those are loops whose
/// counter stands beside another one in a subscript, with the same stride, where a stencil has
/// numbers, or as a subscript of a constant array or of a small local one (local_arrays.h); not
/// those that would make a region too long.
void UnrollLoops(Region& region);

}  // namespace stencilgen::scop
