#pragma once

#include <string_view>

namespace stencilgen::driver {

/// A file embedded at build time: `templates/ranks.cpp.tmpl`. Requires: there is one of that name.
std::string_view RanksTemplate(std::string_view name);

}  // namespace stencilgen::driver
