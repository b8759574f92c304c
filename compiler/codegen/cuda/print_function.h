#pragma once

#include "kernel/code.h"
#include "support/code_writer.h"
#include "support/gpu_language.h"

namespace stencilgen::codegen::cuda {

/// The definition of a kernel. Requires: Target::Device.
void PrintFunction(CodeWriter& writer, const kernel::Function& function, GpuLanguage language);

}  // namespace stencilgen::codegen::cuda
