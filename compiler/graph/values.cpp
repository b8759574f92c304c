#include "graph/interpret.h"
#include "support/match.h"

namespace stencilgen::graph {

Values MakeValues(ScalarType type, std::size_t count) {
  switch (type) {
    case ScalarType::Bool:
      return std::vector<std::uint8_t>(count);
    case ScalarType::Int:
      return std::vector<std::int32_t>(count);
    case ScalarType::Float:
      return std::vector<float>(count);
    case ScalarType::Double:
      break;
  }
  return std::vector<double>(count);
}

std::size_t SizeOf(const Values& values) {
  return Match(values, [](const auto& elements) { return elements.size(); });
}

double ElementAsDouble(const Values& values, std::size_t index) {
  return Match(values, [&](const auto& elements) { return static_cast<double>(elements[index]); });
}

}  // namespace stencilgen::graph
