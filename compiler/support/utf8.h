#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stencilgen {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 1;  ///< in bytes
};

/// The code point that starts at `offset`; empty where the bytes there are not UTF-8.
/// Requires: offset < text.size().
std::optional<CodePoint> DecodeUtf8(std::string_view text, std::size_t offset);

/// True for what a terminal shows as itself: no control characters, nothing invisible, nothing
/// that changes the direction of text.
bool IsPrintable(std::uint32_t code_point);

/// Terminal cells taken by a printable code point, 1 or 2.
int CellWidth(std::uint32_t code_point);

}  // namespace stencilgen
