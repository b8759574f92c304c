#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace stencilgen {

/// `1 thread`, `2 threads`; `2 indices` where the plural is given. For messages.
template <typename Integer>
std::string CountText(Integer number, std::string_view noun, std::string_view plural = {}) {
  if (number == 1 || !plural.empty()) {
    return fmt::format("{} {}", number, number == 1 ? noun : plural);
  }
  return fmt::format("{} {}s", number, noun);
}

}  // namespace stencilgen
