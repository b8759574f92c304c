#pragma once

#include "kernel/launch.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cuda {

/// The member function of Program that starts a kernel. Where the host chooses its chunks, the
/// file has an element of `kernel_occupancy` for it, the one with that number.
void PrintLaunch(CodeWriter& writer, const kernel::Launch& launch, std::size_t occupancy);

}  // namespace stencilgen::codegen::cuda
