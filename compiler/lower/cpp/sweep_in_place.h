#pragma once

#include "lower/cpp/nest_parts.h"

namespace stencilgen::lower::cpp {

/// The functions of a kernel that writes the array which it reads (plan/sweep_in_place.h): one that
/// computes a box of points into the buffer where planes wait, one that copies a box home, and one
/// that does both, plane by plane, in parts that threads share.
/// Requires: the kernel has held planes.
LoweredNest LowerSweepInPlace(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cpp
