#pragma once

#include "kernel/launch.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cuda {

/// The member function of Program that starts a kernel.
void PrintLaunch(CodeWriter& writer, const kernel::Launch& launch);

}  // namespace stencilgen::codegen::cuda
