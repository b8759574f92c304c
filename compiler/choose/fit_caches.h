#pragma once

#include <vector>

#include "choose/choose_nests.h"

namespace stencilgen::choose {

/// The plan with nests for arrays that are larger than the caches, where memory is what sweeps
/// wait for: results go past the caches, tiles keep what is read again in them, and vectors in an
/// order of their own give way to plain loops where they gain little, since more rows at once come
/// slower from memory. Loops whose turns are tiled keep their nests: what they work on is in
/// caches. Brings the reports up to date. It comes before plan::SweepInPlace, which takes plain
/// nests. Requires: plan::Verify(plan) is empty; no kernel holds planes; all have nests, each a
/// report. Ensures: plan::Verify of the result is empty.
plan::Plan FitCaches(plan::Plan plan, const NestOptions& options, std::vector<NestReport>& reports);

/// The same for the kernels that hold planes (plan::SweepInPlace): they run in strips where they
/// can. Requires: plan::Verify(plan) is empty; all kernels have nests, each a report. Ensures:
/// plan::Verify of the result is empty.
plan::Plan FitHeldPlanes(plan::Plan plan, const NestOptions& options,
                         std::vector<NestReport>& reports);

}  // namespace stencilgen::choose
