#include "lower/index_math.h"

#include <algorithm>
#include <string>
#include <utility>

namespace stencilgen::lower {

using kernel::Expr;
using kernel::Routine;

namespace {

Expr Extreme(Routine which, std::vector<Expr> values) {
  std::vector<Expr> kept;
  for (Expr& value : values) {
    const std::string text = kernel::Print(value);
    const bool known = std::any_of(kept.begin(), kept.end(),
                                   [&](const Expr& each) { return kernel::Print(each) == text; });
    if (!known) kept.push_back(std::move(value));
  }
  if (kept.size() == 1) return kept.front();
  return kernel::Call(which, kernel::kIndex, std::move(kept));
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

Expr LesserPosition(const Expr& a, const Expr& b) {
  return kernel::Call(Function::Min, kernel::kIndex,
                      {kernel::ConvertTo(kernel::kIndex, a), kernel::ConvertTo(kernel::kIndex, b)});
}

}  // namespace stencilgen::lower
