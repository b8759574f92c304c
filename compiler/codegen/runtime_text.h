#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace stencilgen::codegen {

/// What gives a generated file the runtime header `stencilgen/...`: an #include of it or, for a
/// standalone file, its text with that of the runtime headers it includes.
std::string RuntimeText(std::string_view header, bool standalone);

/// The same for several headers; what they have in common is there once.
std::string RuntimeTexts(const std::vector<std::string_view>& headers, bool standalone);

/// The runtime header that the code of a plan needs.
std::string_view RuntimeHeader(const plan::Plan& plan, bool cuda);

}  // namespace stencilgen::codegen
