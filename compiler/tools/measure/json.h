#pragma once

#include <string>

namespace stencilgen::measure {

/// The text as a string of JSON.
std::string Quoted(const std::string& text);

}  // namespace stencilgen::measure
