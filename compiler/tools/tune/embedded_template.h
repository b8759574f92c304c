#pragma once

#include <string_view>

namespace stencilgen::driver {

/// A file of `tools/tune/`, embedded at build time: `templates/Makefile.tmpl`.
/// Requires: there is one of that name.
std::string_view EmbeddedTemplate(std::string_view name);

}  // namespace stencilgen::driver
