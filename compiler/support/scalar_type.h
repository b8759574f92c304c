#pragma once

#include <cstdint>
#include <string_view>

namespace stencilgen {

/// The element types of the language, in order of conversion (C's usual arithmetic conversions).
enum class ScalarType : std::uint8_t { Bool, Int, Float, Double };

/// The spelling in the language, C, C++ and CUDA.
constexpr std::string_view ToString(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return "bool";
    case ScalarType::Int:
      return "int";
    case ScalarType::Float:
      return "float";
    case ScalarType::Double:
      return "double";
  }
  return "?";
}
constexpr int SizeInBytes(ScalarType type) {
  return type == ScalarType::Bool ? 1 : type == ScalarType::Double ? 8 : 4;
}
constexpr bool IsFloating(ScalarType type) {
  return type >= ScalarType::Float;
}

}  // namespace stencilgen
