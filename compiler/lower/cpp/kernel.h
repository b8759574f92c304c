#pragma once

#include "lower/cpp/nest_parts.h"

namespace stencilgen::lower::cpp {

/// The kernel in vectors where its schedule asks for that and its operator may, else point by
/// point.
LoweredNest LowerKernel(const ProgramModel& model, plan::KernelId kernel,
                        NestPoints points = NestPoints::All);

}  // namespace stencilgen::lower::cpp
