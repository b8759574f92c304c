#include "codegen/term.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "support/operators.h"

namespace stencilgen::codegen {
namespace {

constexpr int kSum = 9;
constexpr int kProduct = 10;

bool IsZero(const Term& term) {
  return term.value == std::int64_t{0};
}

/// Folds where both values are known and the result fits.
template <typename Fold>
std::optional<Term> Folded(const Term& a, const Term& b, Fold fold) {
  if (!a.value || !b.value) return std::nullopt;
  std::int64_t result = 0;
  if (fold(*a.value, *b.value, &result)) return std::nullopt;
  return Number(result);
}

}  // namespace

Term Number(std::int64_t value) {
  const bool wide = value > std::numeric_limits<std::int32_t>::max() ||
                    value <= std::numeric_limits<std::int32_t>::min();
  const int precedence = value < 0 ? kUnaryPrecedence : kPrimaryPrecedence;
  if (value == std::numeric_limits<std::int64_t>::min()) {
    return {value, fmt::format("({}LL - 1)", value + 1), kPrimaryPrecedence};
  }
  return {value, fmt::format("{}{}", value, wide ? "LL" : ""), precedence};
}

Term Variable(std::string name) {
  return {std::nullopt, std::move(name), kPrimaryPrecedence};
}

Term Linear(const graph::LinearForm& form, const std::vector<std::string>& names) {
  const auto scaled = [&](graph::ParameterId id, std::int64_t factor) {
    return Number(factor) * Variable(names[id.index]);
  };
  bool any_positive = false;
  Term sum = Number(0);
  for (const auto& [id, factor] : form.terms) {
    if (factor > 0) sum = sum + scaled(id, factor);
    any_positive = any_positive || factor > 0;
  }
  if (!any_positive) sum = Number(form.constant);
  for (const auto& [id, factor] : form.terms) {
    if (factor < 0) sum = sum - scaled(id, -factor);
  }
  return any_positive ? sum + Number(form.constant) : sum;
}

Term operator+(const Term& a, const Term& b) {
  if (IsZero(a)) return b;
  if (IsZero(b)) return a;
  if (const std::optional<Term> folded =
          Folded(a, b, [](auto x, auto y, auto* r) { return __builtin_add_overflow(x, y, r); })) {
    return *folded;
  }
  if (b.value && *b.value < 0 && *b.value != std::numeric_limits<std::int64_t>::min()) {
    return a - Number(-*b.value);
  }
  const int context = b.text.front() == '-' ? kPrimaryPrecedence : kSum;
  return {std::nullopt, fmt::format("{} + {}", Operand(a, kSum), Operand(b, context)), kSum};
}

Term operator-(const Term& a, const Term& b) {
  if (IsZero(b)) return a;
  if (const std::optional<Term> folded =
          Folded(a, b, [](auto x, auto y, auto* r) { return __builtin_sub_overflow(x, y, r); })) {
    return *folded;
  }
  if (IsZero(a)) {
    return {std::nullopt, fmt::format("-{}", Operand(b, kPrimaryPrecedence)), kUnaryPrecedence};
  }
  return {std::nullopt, fmt::format("{} - {}", Operand(a, kSum), Operand(b, kProduct)), kSum};
}

Term operator*(const Term& a, const Term& b) {
  if (IsZero(a) || IsZero(b)) return Number(0);
  if (a.value == std::int64_t{1}) return b;
  if (b.value == std::int64_t{1}) return a;
  if (const std::optional<Term> folded =
          Folded(a, b, [](auto x, auto y, auto* r) { return __builtin_mul_overflow(x, y, r); })) {
    return *folded;
  }
  return {std::nullopt, fmt::format("{} * {}", Operand(a, kProduct), Operand(b, kUnaryPrecedence)),
          kProduct};
}

std::string Operand(const Term& term, int precedence) {
  return term.precedence < precedence ? fmt::format("({})", term.text) : term.text;
}

}  // namespace stencilgen::codegen
