#pragma once

#include "lower/cpp/nest_parts.h"

namespace stencilgen::lower::cpp {

/// A function that computes the lanes of a reduction, or of several over the same points, and on
/// the way what other operators of the kernel make at each point. A row's lanes are next to each
/// other in memory, where points in vectors are added to them. Rows of points go to the rows of
/// lanes in turn, each of which one thread has: it takes its own of each round in the order of
/// memory, so that rows that neighbours read are still in its cache. Where all points become one
/// value, a plain loop.
LoweredNest LowerReduction(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cpp
