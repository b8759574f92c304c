#include "kernel/body.h"

#include <algorithm>

namespace stencilgen::kernel {

bool TakesRegister(const Value& value) {
  if (value.held) return false;
  if (IsTemporary(value)) return true;
  const auto* element = std::get_if<Element>(&value.what);
  if (element == nullptr) return false;
  const auto& indices = element->access.indices;
  return std::any_of(indices.begin(), indices.end(),
                     [](const graph::Index& index) { return index.iterator >= 0; });
}

bool IsCoefficient(const Value& value) {
  if (!IsFloating(value.type) || value.held || TakesRegister(value)) return false;
  return std::holds_alternative<Element>(value.what) ||
         std::holds_alternative<graph::Literal>(value.what) ||
         std::holds_alternative<Uniform>(value.what);
}

}  // namespace stencilgen::kernel
