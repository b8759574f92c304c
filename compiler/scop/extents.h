#pragma once

#include "scop/program_writer.h"

namespace stencilgen::scop {

/// Finds how many elements the arrays have: as they are declared, or behind pointers as many as the
/// region names. Reports sizes that are not known, and accesses outside of them.
void FindExtents(Writing& writing);

}  // namespace stencilgen::scop
