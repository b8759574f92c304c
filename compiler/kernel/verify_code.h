#pragma once

#include <string>
#include <vector>

#include "kernel/code.h"

namespace stencilgen::kernel {

/// Every broken invariant in words, empty for a valid function: variables are visible where they
/// are used (a device's constant memory everywhere), and unlike in name to all others that are;
/// types of operands, operations and assignments agree (int and Index mix, and numbers fit all),
/// conditions are truths; only what may change is assigned, and in the turns of parallel and vector
/// loops only what is their own; elements of arrays of registers exist; arguments are read and
/// written as they say; statements and expressions are of the function's target; threads of a block
/// meet at every barrier, those of a warp at every shuffle, whatever is loaded; loops of turns are
/// not left.
std::vector<std::string> Verify(const Function& function);

}  // namespace stencilgen::kernel
