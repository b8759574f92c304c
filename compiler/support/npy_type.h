#pragma once

#include <string_view>

#include "support/scalar_type.h"

namespace stencilgen {

/// How NumPy's `.npy` files say what their elements are.
constexpr std::string_view NpyTypeOf(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return "|b1";
    case ScalarType::Int:
      return "<i4";
    case ScalarType::Float:
      return "<f4";
    case ScalarType::Double:
      return "<f8";
  }
  return "?";
}

}  // namespace stencilgen
