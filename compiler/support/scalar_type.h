#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

/// How elements of arrays lie in memory: as values of their type, or in fewer bytes. Narrow
/// elements are values again when they are read, whole numbers `int` and the others `float`; what
/// is assigned to them has been brought to a number that they hold.
enum class ElementFormat : std::uint8_t { Plain, Int8, UInt8, Int16, UInt16, Half, BFloat16 };

inline constexpr std::array kNarrowFormats = {ElementFormat::Int8,  ElementFormat::UInt8,
                                              ElementFormat::Int16, ElementFormat::UInt16,
                                              ElementFormat::Half,  ElementFormat::BFloat16};

/// The spelling in the language.
constexpr std::string_view ToString(ElementFormat format) {
  switch (format) {
    case ElementFormat::Plain:
      break;
    case ElementFormat::Int8:
      return "int8";
    case ElementFormat::UInt8:
      return "uint8";
    case ElementFormat::Int16:
      return "int16";
    case ElementFormat::UInt16:
      return "uint16";
    case ElementFormat::Half:
      return "half";
    case ElementFormat::BFloat16:
      return "bfloat16";
  }
  return "?";
}
/// Of what is read from elements of the narrow format.
constexpr ScalarType ValueTypeOf(ElementFormat format) {
  return format >= ElementFormat::Half ? ScalarType::Float : ScalarType::Int;
}
/// Empty where no narrow format has the name.
constexpr std::optional<ElementFormat> FindNarrowFormat(std::string_view name) {
  for (const ElementFormat format : kNarrowFormats) {
    if (ToString(format) == name) return format;
  }
  return std::nullopt;
}
/// The name of an element's type in the language.
constexpr std::string_view ToString(ScalarType type, ElementFormat format) {
  return format == ElementFormat::Plain ? ToString(type) : ToString(format);
}
/// What C and C++ call it; halves have names of ours (runtime/include/stencilgen/half.hpp).
constexpr std::string_view CppName(ScalarType type, ElementFormat format) {
  switch (format) {
    case ElementFormat::Plain:
      break;
    case ElementFormat::Int8:
      return "signed char";
    case ElementFormat::UInt8:
      return "unsigned char";
    case ElementFormat::Int16:
      return "short";
    case ElementFormat::UInt16:
      return "unsigned short";
    case ElementFormat::Half:
      return "stencilgen_half";
    case ElementFormat::BFloat16:
      return "stencilgen_bfloat16";
  }
  return ToString(type);
}
constexpr int SizeInBytes(ScalarType type, ElementFormat format) {
  switch (format) {
    case ElementFormat::Plain:
      break;
    case ElementFormat::Int8:
    case ElementFormat::UInt8:
      return 1;
    default:
      return 2;
  }
  return SizeInBytes(type);
}

/// What a declaration says elements are.
struct ElementType {
  ScalarType type = ScalarType::Double;  ///< of values
  ElementFormat format = ElementFormat::Plain;
  friend constexpr bool operator==(const ElementType&, const ElementType&) = default;
};
/// Empty where no type of the language has the name.
constexpr std::optional<ElementType> FindElementType(std::string_view name) {
  for (const ScalarType type :
       {ScalarType::Bool, ScalarType::Int, ScalarType::Float, ScalarType::Double}) {
    if (ToString(type) == name) return ElementType{type, ElementFormat::Plain};
  }
  const std::optional<ElementFormat> narrow = FindNarrowFormat(name);
  if (!narrow) return std::nullopt;
  return ElementType{ValueTypeOf(*narrow), *narrow};
}

// Of arrays and buffers, which have a type and a format:

/// The name of their elements' type in the language.
template <typename Elements>
constexpr std::string_view ElementName(const Elements& elements) {
  return ToString(elements.type, elements.format);
}
/// Its name in C++.
template <typename Elements>
constexpr std::string_view CppName(const Elements& elements) {
  return CppName(elements.type, elements.format);
}
/// Of an element in memory.
template <typename Elements>
constexpr int ElementBytes(const Elements& elements) {
  return SizeInBytes(elements.type, elements.format);
}
/// Each can take over the other's memory.
template <typename Elements>
constexpr bool SameElements(const Elements& a, const Elements& b) {
  return a.type == b.type && a.format == b.format;
}

/// Whole numbers that elements of a format hold.
struct IntegerRange {
  int least = 0, largest = 0;
};
/// Requires: the format's values are whole numbers, and it is narrow.
constexpr IntegerRange RangeOf(ElementFormat format) {
  switch (format) {
    case ElementFormat::Int8:
      return {-128, 127};
    case ElementFormat::UInt8:
      return {0, 255};
    case ElementFormat::Int16:
      return {-32768, 32767};
    default:
      return {0, 65535};
  }
}

}  // namespace stencilgen
