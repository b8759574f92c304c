#pragma once

#include <string>
#include <vector>

#include "kernel/code.h"

namespace stencilgen::kernel {

/// Every barrier that some threads of a block may not reach with the others, and every shuffle
/// likewise for a warp. Arguments, places of blocks, constant memory and what is computed from
/// these are the same for all threads; their own places, and what is loaded or shuffled, are not.
/// Requires: the function is for a device.
std::vector<std::string> VerifyConvergence(const Function& function);

/// The statement's first line.
std::string FirstLine(const Stmt& stmt);

}  // namespace stencilgen::kernel
