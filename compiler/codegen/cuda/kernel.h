#pragma once

#include "codegen/program_model.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cuda {

/// A kernel and the member function of Program that starts it.
struct KernelText {
  std::string definition;
  std::string launcher;
};

/// One point a thread and more where the schedule says so; blocks along x cover the domain, along
/// y and z they stride over it.
KernelText PrintKernel(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::codegen::cuda
