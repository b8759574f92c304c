#pragma once

#include "kernel/code.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cpp {

/// The definition of a function for the processor. Requires: Target::Host.
void PrintFunction(CodeWriter& writer, const kernel::Function& function);

}  // namespace stencilgen::codegen::cpp
