#pragma once

#include <string>

#include "kernel/body.h"

namespace stencilgen::kernel {

/// One line an instruction, `t += 0.5 * in[-1][0]`, and after each that completes a result, a line
/// `store t`, `keep t` or `add t`; none for a sum that the body adds to.
std::string Print(const Body& body);
/// One instruction. `sets`: it is the first contribution to its destination.
std::string Print(const Body& body, const Instruction& instruction, bool sets);

}  // namespace stencilgen::kernel
