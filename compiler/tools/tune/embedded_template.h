#pragma once

#include <string_view>

namespace stencilgen::driver {

/// What goes into the folder for another machine, embedded at build time:
/// `templates/Makefile.tmpl`, and sources by their place in the compiler,
/// `tools/measure/process.cpp`. Requires: there is one of that name.
std::string_view EmbeddedTemplate(std::string_view name);

}  // namespace stencilgen::driver
