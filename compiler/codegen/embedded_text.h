#pragma once

#include <string_view>

namespace stencilgen::codegen {

/// A file embedded at build time: `cuda/program.cu.tmpl` of the templates, `stencilgen/math.hpp` of
/// the runtime. Requires: there is one of that name.
std::string_view EmbeddedText(std::string_view name);

}  // namespace stencilgen::codegen
