#pragma once

#include <vector>

#include "scop/program_writer.h"

/// What arrays and pointers exchange at the end of the turns of a loop, and what a loop leaves.
namespace stencilgen::scop {

/// Adds the exchanges of the innermost of the turns that are being written to the end of its body,
/// and to what the code around does after the call what leaves pointers, arrays and scalars as the
/// loop does in C.
void AddExchanges(Writing& writing, std::vector<ast::CallItem>& body);

/// Reports exchanges in loops that are none of the program. Requires: all loops have been written.
void CheckExchanges(const Writing& writing);

}  // namespace stencilgen::scop
