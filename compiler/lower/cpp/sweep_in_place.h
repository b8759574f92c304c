#pragma once

#include "lower/cpp/nest_parts.h"

namespace stencilgen::lower::cpp {

/// The functions of a kernel that writes the array which it reads (plan/sweep_in_place.h): one that
/// computes a box of points into the buffer where planes wait, one that copies a box home, and one
/// that does both, plane by plane, in parts that threads share.
/// Requires: the kernel has held planes.
LoweredNest LowerSweepInPlace(const ProgramModel& model, plan::KernelId kernel);

/// The same for the single turn of a loop in tiles of turns (plan::TimeBand::single), without the
/// box, which the tiles have too.
/// Requires: the band has a single turn; `box`: of its kernel.
LoweredNest LowerSingleTurn(const ProgramModel& model, const plan::TimeBand& band,
                            const kernel::Function& box);

}  // namespace stencilgen::lower::cpp
