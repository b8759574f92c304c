#pragma once

#include "lower/cpp/nest_parts.h"

namespace stencilgen::lower::cpp {

/// A function that computes the lanes of a reduction: threads share rows of lanes, and a row's
/// lanes are next to each other in memory, where points in vectors are added to them. Where all
/// points become one value, a plain loop.
LoweredNest LowerReduction(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cpp
