#include "support/literal_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace stencilgen {
namespace {

template <typename T>
std::string FloatingText(T value, std::string_view suffix, std::string_view infinity) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return fmt::format("{}{}", value < 0 ? "-" : "", infinity);
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits.append(".0");
  return digits.append(suffix);
}

}  // namespace

std::string LiteralText(ScalarType type, double value) {
  switch (type) {
    case ScalarType::Bool:
      return value != 0 ? "true" : "false";
    case ScalarType::Int: {
      constexpr double kEnd = 2147483648.0;
      if (std::isnan(value)) return "0";
      return LiteralText(type, static_cast<std::int64_t>(std::clamp(value, -kEnd, kEnd - 1)));
    }
    case ScalarType::Float:
      return FloatingText(
          std::abs(value) > std::numeric_limits<float>::max() && !std::isnan(value)
              ? std::copysign(std::numeric_limits<float>::infinity(), value < 0 ? -1.0F : 1.0F)
              : static_cast<float>(value),
          "F", "HUGE_VALF");
    case ScalarType::Double:
      return FloatingText(value, "", "HUGE_VAL");
  }
  return "";
}

std::string LiteralText(ScalarType type, std::int64_t value) {
  if (type == ScalarType::Bool) return value != 0 ? "true" : "false";
  // The literal 2147483648 is not an int.
  if (value == std::numeric_limits<std::int32_t>::min()) return "(-2147483647 - 1)";
  return fmt::format("{}", value);
}

std::string IndexText(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) {
    return fmt::format("({}LL - 1)", value + 1);
  }
  const bool wide = value > std::numeric_limits<std::int32_t>::max() ||
                    value <= std::numeric_limits<std::int32_t>::min();
  return fmt::format("{}{}", value, wide ? "LL" : "");
}

}  // namespace stencilgen
