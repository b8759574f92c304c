#pragma once

#include <string_view>

namespace stencilgen::driver {

/// A file of `tools/machine/`, embedded at build time: `templates/loops.cpp.tmpl`.
/// Requires: there is one of that name.
std::string_view MachineTemplate(std::string_view name);

}  // namespace stencilgen::driver
