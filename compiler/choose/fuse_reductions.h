#pragma once

#include "plan/plan.h"

namespace stencilgen::choose {

/// A GPU's plan in which kernels that make the operands of a reduction also add them to its lanes,
/// where less memory is moved so. A thread has a lane: neighbours that such a kernel reads come
/// from caches, since it has no tile, and so there may be only a few of them.
///
/// Requires: plan::Verify(plan) is empty. Ensures: it still is; results are as before.
plan::Plan FuseReductions(plan::Plan plan);

}  // namespace stencilgen::choose
