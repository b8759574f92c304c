#pragma once

#include <string>

namespace stencilgen::tables {

/// `nvcc 13.0.88`.
std::string VersionOf(const std::string& nvcc);

/// True where a line of the file says that this version made it.
bool IsMadeBy(const std::string& file, const std::string& version);

}  // namespace stencilgen::tables
