#pragma once

#include "codegen/program_model.h"

namespace stencilgen::codegen::cpp {

/// The loop nest of a kernel, and the call of it.
struct LoopNestText {
  std::string definition;
  std::string call;
};

/// In parallel over the outermost iterator, vectorised along the innermost. Where the kernel's
/// schedule unrolls an outer iterator, a turn of the loops computes a block of points, one after
/// the other.
LoopNestText PrintLoopNest(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::codegen::cpp
