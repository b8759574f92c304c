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

/// The same of elements of a format. NumPy by itself does not know bfloat16: files have its bits.
constexpr std::string_view NpyTypeOf(ScalarType type, ElementFormat format) {
  switch (format) {
    case ElementFormat::Int8:
      return "|i1";
    case ElementFormat::UInt8:
      return "|u1";
    case ElementFormat::Int16:
      return "<i2";
    case ElementFormat::UInt16:
    case ElementFormat::BFloat16:
      return "<u2";
    case ElementFormat::Half:
      return "<f2";
    case ElementFormat::Plain:
      break;
  }
  return NpyTypeOf(type);
}

}  // namespace stencilgen
