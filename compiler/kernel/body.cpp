#include "kernel/body.h"

#include <algorithm>

namespace stencilgen::kernel {

bool TakesRegister(const Value& value) {
  if (IsTemporary(value)) return true;
  const auto* element = std::get_if<Element>(&value.what);
  if (element == nullptr) return false;
  const auto& indices = element->access.indices;
  return std::any_of(indices.begin(), indices.end(),
                     [](const graph::Index& index) { return index.iterator >= 0; });
}

}  // namespace stencilgen::kernel
