#pragma once

#include "lower/cpp/nest_parts.h"

namespace stencilgen::lower::cpp {

/// The kernel as its nest says; without one, point by point.
LoweredNest LowerKernel(const ProgramModel& model, plan::KernelId kernel,
                        NestPoints points = NestPoints::All);

}  // namespace stencilgen::lower::cpp
