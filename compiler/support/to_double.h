#pragma once

#include <cstdint>

namespace stencilgen {

/// A count as a number to divide and scale.
inline double ToDouble(std::int64_t value) {
  return static_cast<double>(value);
}

}  // namespace stencilgen
