#include "support/c_nest_setting.h"

#include <algorithm>

#include <fmt/format.h>

namespace stencilgen::testing {

std::string TypeName(const CArray& array) {
  if (!array.narrow.empty()) return array.narrow;
  if (array.type == CElement::Double) return "double";
  return array.type == CElement::Float ? "float" : "int";
}

std::string CSetting::Size(int d) const {
  return sizes == CSizes::Numbers ? std::to_string(extents[d]) : fmt::format("n{}", d);
}

std::string CSetting::Parameters() const {
  std::string text = "double c, float f, int q";
  if (sizes == CSizes::Numbers) return text;
  for (int d = 0; d < rank; ++d) text += fmt::format(", int n{}", d);
  if (sizes == CSizes::Linear) {
    for (const CArray& array : arrays) {
      text += fmt::format(", {} *{}", TypeName(array), array.name);
    }
  }
  return text;
}

std::string CSetting::Globals() const {
  std::string text;
  for (const CArray& array : arrays) {
    const std::string name = (sizes == CSizes::Linear ? "store_" : "") + array.name;
    text += fmt::format("{} {}", TypeName(array), name);
    if (sizes == CSizes::Linear) {
      int size = 1;
      for (const int extent : extents) size *= extent;
      text += fmt::format("[{}]", size);
    } else {
      for (const int extent : extents) text += fmt::format("[{}]", extent);
    }
    text += ";\n";
  }
  if (total) text += fmt::format("int total{};\n", number);
  return text;
}

std::string CSetting::Calls() const {
  std::string text;
  const std::string store = sizes == CSizes::Linear ? "store_" : "";
  for (const CArray& array : arrays) {
    text += fmt::format("  FILL({}{}, {});\n", store, array.name, TypeName(array));
  }
  const auto call = [&](int less) {
    text += fmt::format("  region_{}(0.3, 0.7f, 3", number);
    for (int d = 0; d < rank && sizes != CSizes::Numbers; ++d) {
      text += fmt::format(", {}", std::max(extents[d] - less, 2 * radius + 1));
    }
    for (const CArray& array : arrays) {
      if (sizes == CSizes::Linear) text += ", store_" + array.name;
    }
    text += ");\n";
  };
  call(0);
  if (sizes == CSizes::Parameters) call(number % 2 == 0 ? 3 : 1000);
  for (const CArray& array : arrays) text += fmt::format("  ADD({}{});\n", store, array.name);
  if (total) text += fmt::format("  add_bytes(&total{0}, sizeof total{0});\n", number);
  return text;
}

}  // namespace stencilgen::testing
