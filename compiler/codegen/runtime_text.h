#pragma once

#include <string>
#include <string_view>

namespace stencilgen::codegen {

/// What gives a generated file the runtime header `stencilgen/...`: an #include of it or, for a
/// standalone file, its text with that of the runtime headers it includes.
std::string RuntimeText(std::string_view header, bool standalone);

}  // namespace stencilgen::codegen
