#pragma once

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Rewrites `if` whose conditions depend on data. Where both branches assign one element they
/// become one assignment of a choice. Where the statements below a condition change what it depends
/// on, it is kept in a scalar of its own before them, since each of them evaluates it again.
void PrepareDataConditions(Region& region);

/// Makes one assignment also of branches that affine conditions tell apart, which are otherwise two
/// statements with a domain each. False where there are none. Costs a choice at each point, but the
/// branches no longer run one after the other: `if (i % 2) a[i] = x; else a[i] = a[i - 1];` from
/// the last `i` down reads what is still to be written.
bool JoinBranches(Region& region);

}  // namespace stencilgen::scop
