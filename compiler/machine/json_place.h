#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/source.h"

namespace stencilgen::machine {

/// Members and elements on the way from the whole text to a value.
using JsonPath = std::vector<std::variant<std::string, std::size_t>>;

/// Where a value is in a JSON text, and the name of a member.
struct JsonPlace {
  Span name;  ///< empty for what is no member
  Span value;
};

/// The place of the value at `path`, of several members of one name the last; of the innermost
/// value that there is, where there is none at `path`. Requires: the text is JSON.
JsonPlace FindJsonPlace(std::string_view text, const JsonPath& path);

}  // namespace stencilgen::machine
