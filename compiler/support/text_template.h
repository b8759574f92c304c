#pragma once

#include <map>
#include <string>
#include <string_view>

namespace stencilgen {

/// Fills `@{hole}` in a template. A hole alone on its line keeps its indentation for every line of
/// the value, and an empty value then removes the line. No logic.
/// Requires: holes and values match one to one (checked).
std::string FillTemplate(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace stencilgen
