#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/id.h"

namespace stencilgen::graph {

using ParameterId = Id<struct ParameterTag>;

/// constant + sum of coefficient * parameter; terms sorted by parameter, no zero coefficients.
struct LinearForm {
  std::vector<std::pair<ParameterId, std::int64_t>> terms;
  std::int64_t constant = 0;

  static LinearForm Constant(std::int64_t value) { return {{}, value}; }
  static LinearForm Parameter(ParameterId id) { return {{{id, 1}}, 0}; }
  bool IsConstant() const { return terms.empty(); }
  friend bool operator==(const LinearForm&, const LinearForm&) = default;
};

LinearForm operator+(const LinearForm& a, const LinearForm& b);
LinearForm operator-(const LinearForm& a, const LinearForm& b);
LinearForm operator+(const LinearForm& a, std::int64_t b);
LinearForm operator-(const LinearForm& a, std::int64_t b);
LinearForm operator*(const LinearForm& a, std::int64_t factor);

/// True where `form >= 0` for every choice of parameters >= 1. Fixed parameters never appear in a
/// form: sema replaces them by their values.
bool AlwaysNonNegative(const LinearForm& form);
/// True where `form < 0` for every choice of parameters >= 1.
bool AlwaysNegative(const LinearForm& form);

/// Values of the parameters at run time, indexed by parameter.
using ParameterValues = std::vector<std::int64_t>;
std::int64_t Evaluate(const LinearForm& form, const ParameterValues& values);

/// `M - 1`, `2*M + 3`, `7`; `names` by parameter index.
std::string ToString(const LinearForm& form, const std::vector<std::string>& names);

/// How often a loop runs: `count` times; after time tiling count / divisor times (rounded down), or
/// the count mod divisor times that this leaves over. A negative count is an error of the host
/// call, whatever the divisor. divisor >= 1.
struct Turns {
  LinearForm count;
  std::int64_t divisor = 1;
  bool remainder = false;

  friend bool operator==(const Turns&, const Turns&) = default;
};
/// 0 where the count is negative.
std::int64_t Evaluate(const Turns& turns, const ParameterValues& values);
/// `T - 1`, `floor((T - 1)/4)`, `(T - 1) mod 4`.
std::string ToString(const Turns& turns, const std::vector<std::string>& names);

/// numerator / divisor, rounded up as a lower bound and down as an upper bound. divisor >= 1.
struct Bound {
  LinearForm numerator;
  std::int64_t divisor = 1;
  friend bool operator==(const Bound&, const Bound&) = default;
};

/// The integers x with max(lower) <= x <= min(upper). An empty list does not restrict.
struct Interval {
  std::vector<Bound> lower;
  std::vector<Bound> upper;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Adds a bound and drops those it makes redundant (or itself, where it is redundant).
void AddLower(Interval& interval, Bound bound);
void AddUpper(Interval& interval, Bound bound);
Interval Intersect(Interval a, const Interval& b);

/// Concrete inclusive range.
struct Range {
  std::int64_t lo = 0;
  std::int64_t hi = -1;
  std::int64_t size() const { return hi < lo ? 0 : hi - lo + 1; }
  friend bool operator==(const Range&, const Range&) = default;
};
/// Requires: both lists are non-empty.
Range Evaluate(const Interval& interval, const ParameterValues& values);

/// True where every x of `inner` is in `outer`, for every choice of parameters >= 1.
bool AlwaysContains(const Interval& outer, const Interval& inner);
/// True where the interval is empty for every choice of parameters >= 1.
bool AlwaysEmpty(const Interval& interval);

std::int64_t FloorDiv(std::int64_t a, std::int64_t b);
std::int64_t CeilDiv(std::int64_t a, std::int64_t b);

}  // namespace stencilgen::graph
