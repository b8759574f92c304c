#pragma once

#include "lower/cpp/nest_parts.h"

namespace stencilgen::lower::cpp {

/// The loop nest of a kernel with a matrix tile. Threads share tiles along the first iterator; in a
/// tile, so many turns at a time, some rows of some packs or points stay in registers while the
/// turns run. What they do not cover is computed by fewer rows, packs and points at a time, in the
/// same order of turns.
/// Requires: the kernel has one.
LoweredNest LowerMatrixNest(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cpp
