#pragma once

#include <cstdint>
#include <vector>

#include "scop/c_region.h"

/// Small arrays that nothing outside of a region sees, as `double f[9];` in a loop over cells.
namespace stencilgen::scop {

/// The extents of such an array of at most 64 elements, outermost first; empty of other variables.
std::vector<std::int64_t> LocalExtents(const Region& region, VariableId array);

/// Those of them whose elements are named by numbers alone become a scalar for each element:
///
///   before: f[0] = u[i]; f[1] = u[i-1]; v[i] = f[0] + f[1];
///   after:  f_0 = u[i]; f_1 = u[i-1]; v[i] = f_0 + f_1;
///
/// Arrays from outside of the region stay where an element may be read before it is set.
void SplitLocalArrays(Region& region);

}  // namespace stencilgen::scop
