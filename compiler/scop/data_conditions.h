#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Rewrites `if` whose conditions depend on data. Where both branches assign one element they
/// become one assignment of a choice. Where the statements below a condition change what it depends
/// on, it is kept in a scalar of its own before them, since each of them evaluates it again.
void PrepareDataConditions(Region& region);

}  // namespace stencilgen::scop
