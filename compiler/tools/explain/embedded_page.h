#pragma once

#include <string_view>

namespace stencilgen::driver {

/// A file of page/, by its name. Defined by EmbedText.cmake.
std::string_view PageFile(std::string_view name);

}  // namespace stencilgen::driver
