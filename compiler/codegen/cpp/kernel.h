#pragma once

#include "codegen/cpp/loop_nest.h"

namespace stencilgen::codegen::cpp {

/// The kernel in vectors where its schedule asks for that and its operator may, else point by
/// point.
LoopNestText PrintKernel(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::codegen::cpp
