#include "graph/linear.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "support/check.h"

namespace stencilgen::graph {
namespace {

// Sizes come from users and may be absurd: sums and products are taken in 128 bits, and clamped
// where even those could overflow.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): takes no __extension__
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr Wide kWideLimit = Wide{1} << 125;

std::int64_t Narrow(Wide value) {
  return static_cast<std::int64_t>(std::clamp<Wide>(value, kMin, kMax));
}

Wide ClampWide(Wide value) {
  return std::clamp<Wide>(value, -kWideLimit, kWideLimit - 1);
}

struct WideForm {
  std::vector<std::pair<ParameterId, Wide>> terms;
  Wide constant = 0;
};

/// a * scale_a + b * scale_b, exactly. Requires: the scales are 64-bit values.
WideForm Combine(const LinearForm& a, std::int64_t scale_a, const LinearForm& b,
                 std::int64_t scale_b) {
  WideForm result;
  result.constant =
      ClampWide(ClampWide(Wide{a.constant} * scale_a) + ClampWide(Wide{b.constant} * scale_b));
  auto it_a = a.terms.begin();
  auto it_b = b.terms.begin();
  while (it_a != a.terms.end() || it_b != b.terms.end()) {
    const bool take_a =
        it_b == b.terms.end() || (it_a != a.terms.end() && it_a->first <= it_b->first);
    const bool take_b =
        it_a == a.terms.end() || (it_b != b.terms.end() && it_b->first <= it_a->first);
    const ParameterId id = take_a ? it_a->first : it_b->first;
    Wide coefficient = 0;
    if (take_a) coefficient += ClampWide(Wide{(it_a++)->second} * scale_a);
    if (take_b) coefficient += ClampWide(Wide{(it_b++)->second} * scale_b);
    if (coefficient != 0) result.terms.emplace_back(id, ClampWide(coefficient));
  }
  return result;
}

LinearForm NarrowForm(const WideForm& form) {
  LinearForm result;
  result.constant = Narrow(form.constant);
  for (const auto& [id, coefficient] : form.terms) {
    result.terms.emplace_back(id, Narrow(coefficient));
  }
  return result;
}

/// form + addend >= 0 for every choice of parameters >= 1 and turns >= 0.
bool NonNegative(const WideForm& form, Wide addend) {
  Wide least = ClampWide(form.constant + addend);
  for (const auto& [id, coefficient] : form.terms) {
    if (coefficient < 0) return false;
    if (!id.turn) least = ClampWide(least + coefficient);
  }
  return least >= 0;
}

LinearForm Negated(const LinearForm& form) {
  return form * -1;
}

/// ceil(a) <= ceil(b) for every choice of parameters. It follows from (num_a - 1) / div_a < b,
/// because ceil(a) - 1 <= (num_a - 1) / div_a.
bool CeilAtMost(const Bound& a, const Bound& b) {
  return NonNegative(Combine(b.numerator, a.divisor, a.numerator, -b.divisor), Wide{b.divisor} - 1);
}

bool FloorAtMost(const Bound& a, const Bound& b) {
  return CeilAtMost({Negated(b.numerator), b.divisor}, {Negated(a.numerator), a.divisor});
}

/// Divides out what numerator and divisor share, so that equal bounds look equal.
Bound Normalized(Bound bound, bool round_up) {
  STENCILGEN_CHECK(bound.divisor >= 1);
  std::int64_t common = bound.divisor;
  for (const auto& [id, coefficient] : bound.numerator.terms) {
    if (coefficient == kMin) return bound;
    common = std::gcd(common, coefficient);
  }
  if (common == 1) return bound;
  for (auto& [id, coefficient] : bound.numerator.terms) coefficient /= common;
  std::int64_t& constant = bound.numerator.constant;
  constant = round_up ? CeilDiv(constant, common) : FloorDiv(constant, common);
  bound.divisor /= common;
  return bound;
}

bool CanonicalLess(const Bound& a, const Bound& b) {
  return std::tie(a.numerator.terms, a.numerator.constant, a.divisor) <
         std::tie(b.numerator.terms, b.numerator.constant, b.divisor);
}

/// `redundant(x, y)`: y makes x redundant.
template <typename Redundant>
void Add(std::vector<Bound>& bounds, Bound bound, Redundant redundant) {
  for (const Bound& other : bounds) {
    if (redundant(bound, other)) return;
  }
  std::erase_if(bounds, [&](const Bound& other) { return redundant(other, bound); });
  bounds.insert(std::upper_bound(bounds.begin(), bounds.end(), bound, CanonicalLess), bound);
}

}  // namespace

LinearForm operator+(const LinearForm& a, const LinearForm& b) {
  return NarrowForm(Combine(a, 1, b, 1));
}

LinearForm operator-(const LinearForm& a, const LinearForm& b) {
  return NarrowForm(Combine(a, 1, b, -1));
}

LinearForm operator+(const LinearForm& a, std::int64_t b) {
  return a + LinearForm::Constant(b);
}

LinearForm operator-(const LinearForm& a, std::int64_t b) {
  return a - LinearForm::Constant(b);
}

LinearForm operator*(const LinearForm& a, std::int64_t factor) {
  return NarrowForm(Combine(a, factor, LinearForm{}, 0));
}

bool AlwaysNonNegative(const LinearForm& form) {
  return NonNegative(Combine(form, 1, LinearForm{}, 0), 0);
}

bool AlwaysMultiple(const LinearForm& form, std::int64_t factor) {
  return form.constant % factor == 0 &&
         std::all_of(form.terms.begin(), form.terms.end(),
                     [&](const auto& term) { return term.second % factor == 0; });
}

bool AlwaysNegative(const LinearForm& form) {
  return NonNegative(Combine(form, -1, LinearForm{}, 0), -1);
}

bool HasTurn(const LinearForm& form) {
  return std::any_of(form.terms.begin(), form.terms.end(),
                     [](const auto& term) { return term.first.turn; });
}

LinearForm Replace(const LinearForm& form, ParameterId parameter, const LinearForm& by) {
  for (const auto& [id, coefficient] : form.terms) {
    if (id == parameter) return form - LinearForm::Parameter(id) * coefficient + by * coefficient;
  }
  return form;
}

std::int64_t Evaluate(const LinearForm& form, const ParameterValues& values) {
  Wide total = form.constant;
  for (const auto& [id, coefficient] : form.terms) {
    STENCILGEN_CHECK(id.index < values.size());
    total = ClampWide(total + ClampWide(Wide{coefficient} * values[id.index]));
  }
  return Narrow(total);
}

std::string ToString(const LinearForm& form, const std::vector<std::string>& names) {
  std::string text;
  const auto append = [&](bool negative, const std::string& magnitude) {
    if (text.empty()) {
      text = fmt::format("{}{}", negative ? "-" : "", magnitude);
    } else {
      text = fmt::format("{} {} {}", text, negative ? '-' : '+', magnitude);
    }
  };
  const auto magnitude = [](std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? ~bits + 1 : bits;
  };
  const auto append_terms = [&](bool negative) {
    for (const auto& [id, coefficient] : form.terms) {
      if ((coefficient < 0) != negative) continue;
      const std::uint64_t factor = magnitude(coefficient);
      const std::string& name = names[id.index];
      append(negative, factor == 1 ? name : fmt::format("{}*{}", factor, name));
    }
  };
  append_terms(false);
  // A positive constant leads where every term is negative: `5 - M`.
  const bool constant_leads = text.empty() && form.constant > 0;
  if (constant_leads) append(false, fmt::format("{}", form.constant));
  append_terms(true);
  if (text.empty()) return fmt::format("{}", form.constant);
  if (!constant_leads && form.constant != 0) {
    append(form.constant < 0, fmt::format("{}", magnitude(form.constant)));
  }
  return text;
}

std::int64_t Evaluate(const Turns& turns, const ParameterValues& values) {
  const std::int64_t count = std::max<std::int64_t>(0, Evaluate(turns.count, values));
  return turns.remainder ? count % turns.divisor : count / turns.divisor;
}

std::int64_t FirstTurn(const Turns& turns, const ParameterValues& values) {
  if (!turns.remainder) return 0;
  const std::int64_t count = std::max<std::int64_t>(0, Evaluate(turns.count, values));
  return count - count % turns.divisor;
}

std::string ToString(const Turns& turns, const std::vector<std::string>& names) {
  const std::string count = ToString(turns.count, names);
  if (turns.remainder) return fmt::format("({}) mod {}", count, turns.divisor);
  return turns.divisor == 1 ? count : fmt::format("floor(({})/{})", count, turns.divisor);
}

void AddLower(Interval& interval, Bound bound) {
  Add(interval.lower, Normalized(std::move(bound), true), CeilAtMost);
}

void AddUpper(Interval& interval, Bound bound) {
  Add(interval.upper, Normalized(std::move(bound), false),
      [](const Bound& a, const Bound& b) { return FloorAtMost(b, a); });
}

Interval Intersect(Interval a, const Interval& b) {
  for (const Bound& bound : b.lower) AddLower(a, bound);
  for (const Bound& bound : b.upper) AddUpper(a, bound);
  return a;
}

Range Evaluate(const Interval& interval, const ParameterValues& values) {
  STENCILGEN_CHECK(!interval.lower.empty() && !interval.upper.empty());
  Range range{kMin, kMax};
  for (const Bound& bound : interval.lower) {
    range.lo = std::max(range.lo, CeilDiv(Evaluate(bound.numerator, values), bound.divisor));
  }
  for (const Bound& bound : interval.upper) {
    range.hi = std::min(range.hi, FloorDiv(Evaluate(bound.numerator, values), bound.divisor));
  }
  return range;
}

std::optional<Range> KnownValues(const Interval& interval) {
  const auto known = [](const Bound& bound) { return bound.numerator.IsConstant(); };
  if (interval.lower.empty() || interval.upper.empty() ||
      !std::all_of(interval.lower.begin(), interval.lower.end(), known) ||
      !std::all_of(interval.upper.begin(), interval.upper.end(), known)) {
    return std::nullopt;
  }
  const Range values = Evaluate(interval, {});
  if (values.size() == 0) return std::nullopt;
  return values;
}

bool AlwaysContains(const Interval& outer, const Interval& inner) {
  const auto implied = [](const std::vector<Bound>& wanted, const std::vector<Bound>& given,
                          auto redundant) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const Bound& want) {
      return std::any_of(given.begin(), given.end(),
                         [&](const Bound& have) { return redundant(want, have); });
    });
  };
  const bool within = implied(outer.lower, inner.lower, CeilAtMost) &&
                      implied(outer.upper, inner.upper, [](const Bound& want, const Bound& have) {
                        return FloorAtMost(have, want);
                      });
  return within || AlwaysEmpty(inner);
}

bool AlwaysEmpty(const Interval& interval) {
  for (const Bound& lower : interval.lower) {
    for (const Bound& upper : interval.upper) {
      // lower > upper as fractions leaves no integer between them.
      if (NonNegative(Combine(lower.numerator, upper.divisor, upper.numerator, -lower.divisor),
                      -1)) {
        return true;
      }
    }
  }
  return false;
}

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  STENCILGEN_CHECK(b != 0);
  if (b == -1) return Narrow(-Wide{a});
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) {
  STENCILGEN_CHECK(b != 0);
  if (b == -1) return Narrow(-Wide{a});
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}

}  // namespace stencilgen::graph
