#pragma once

#include "scop/program_writer.h"

namespace stencilgen::scop {

/// Declares the arrays and scalars that the program uses, lists what is copied, and says what its
/// names are in C, and for which sizes it can be called.
/// Requires: all calls have been written.
void Declare(Writing& writing);

}  // namespace stencilgen::scop
