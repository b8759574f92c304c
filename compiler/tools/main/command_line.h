#pragma once

#include <string>
#include <vector>

namespace stencilgen::driver {

/// The whole program, without its name among the arguments. Returns the exit status.
int Main(const std::vector<std::string>& arguments);

}  // namespace stencilgen::driver
