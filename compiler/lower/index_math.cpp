#include "lower/index_math.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace stencilgen::lower {

using kernel::Expr;
using kernel::Routine;

namespace {

/// Those that may be the largest or least: of equal texts one, of numbers the one that wins.
std::vector<Expr> Distinct(bool largest, std::vector<Expr> values) {
  std::vector<Expr> kept;
  for (Expr& value : values) {
    const auto known_number = std::find_if(kept.begin(), kept.end(), [](const Expr& each) {
      return kernel::NumberOf(each).has_value();
    });
    if (const auto number = kernel::NumberOf(value); number && known_number != kept.end()) {
      const std::int64_t other = *kernel::NumberOf(*known_number);
      if (largest ? *number > other : *number < other) *known_number = std::move(value);
      continue;
    }
    const std::string text = kernel::Print(value);
    const bool known = std::any_of(kept.begin(), kept.end(),
                                   [&](const Expr& each) { return kernel::Print(each) == text; });
    if (!known) kept.push_back(std::move(value));
  }
  return kept;
}

Expr Extreme(Routine which, std::vector<Expr> values) {
  std::vector<Expr> kept = Distinct(which == Routine::Largest, std::move(values));
  if (kept.size() == 1) return kept.front();
  return kernel::Call(which, kernel::kIndex, std::move(kept));
}

Expr ExtremeHere(Function which, std::vector<Expr> values) {
  const kernel::Type type = values.front().type();
  const std::vector<Expr> kept = Distinct(which == Function::Max, std::move(values));
  // Numbers alone are of either type.
  const auto typed = [&](const Expr& value) {
    return type == kernel::kInt && kernel::NumberOf(value) ? value : kernel::ConvertTo(type, value);
  };
  Expr result = kept.front();
  for (std::size_t n = 1; n < kept.size(); ++n) {
    result = kernel::Call(which, type, {typed(result), typed(kept[n])});
  }
  return result;
}

}  // namespace

Expr FloorDiv(const Expr& a, const Expr& b) {
  return kernel::Call(Routine::FloorDiv, kernel::kIndex, {a, b});
}

Expr CeilDiv(const Expr& a, const Expr& b) {
  return kernel::Call(Routine::CeilDiv, kernel::kIndex, {a, b});
}

Expr Largest(std::vector<Expr> values) {
  return Extreme(Routine::Largest, std::move(values));
}

Expr Least(std::vector<Expr> values) {
  return Extreme(Routine::Least, std::move(values));
}

Expr LargestHere(std::vector<Expr> values) {
  return ExtremeHere(Function::Max, std::move(values));
}

Expr LeastHere(std::vector<Expr> values) {
  return ExtremeHere(Function::Min, std::move(values));
}

Expr LesserPosition(const Expr& a, const Expr& b) {
  return kernel::Call(Function::Min, kernel::kIndex,
                      {kernel::ConvertTo(kernel::kIndex, a), kernel::ConvertTo(kernel::kIndex, b)});
}

}  // namespace stencilgen::lower
