#pragma once

#include "lower/options.h"
#include "plan/plan.h"

namespace stencilgen::lower::cpp {

/// The plan with kernels that share their loops (plan/fuse_loops.h) where the cycles of one nest
/// are fewer than those of two: where they read the same arrays, or one what the other has made;
/// with Fusion::Max wherever they may, with Fusion::None nowhere.
/// Requires: plan::Verify(plan) is empty; no kernel has a tile or a stream.
plan::Plan FuseNests(plan::Plan plan, plan::Fusion fusion, const Options& options);

}  // namespace stencilgen::lower::cpp
