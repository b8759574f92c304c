#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stencilgen {

/// The text on one line, fit for a `//` comment: no line ends, no comment marks, trigraphs or
/// trailing backslash, ASCII only, at most `limit` characters.
std::string CommentText(std::string_view text, std::size_t limit = 72);

}  // namespace stencilgen
