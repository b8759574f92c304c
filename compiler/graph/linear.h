#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stencilgen::graph {

/// A parameter of the program; or the turn that a loop is in, as a value (Loop::turn).
struct ParameterId {
  static constexpr std::uint32_t kInvalid = 0xffffffffU;
  std::uint32_t index = kInvalid;
  /// Of a loop, counted from 0. Says what is known of the value; ids are told apart by their index.
  bool turn = false;

  bool Valid() const { return index != kInvalid; }
  friend constexpr bool operator==(ParameterId a, ParameterId b) { return a.index == b.index; }
  friend constexpr auto operator<=>(ParameterId a, ParameterId b) { return a.index <=> b.index; }
};

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

/// True where `form >= 0` for every choice of parameters >= 1 and turns >= 0. Fixed parameters
/// never appear in a form: sema replaces them by their values.
bool AlwaysNonNegative(const LinearForm& form);
/// True where the form is a multiple of `factor` for every choice of parameters and turns.
/// Requires: factor >= 1.
bool AlwaysMultiple(const LinearForm& form, std::int64_t factor);
/// True where `form < 0` for every choice of parameters >= 1 and turns >= 0.
bool AlwaysNegative(const LinearForm& form);

/// The form depends on the turn of a loop.
bool HasTurn(const LinearForm& form);
/// The form with another one in the parameter's place.
LinearForm Replace(const LinearForm& form, ParameterId parameter, const LinearForm& by);

/// Values of the parameters at run time, indexed by parameter, and of the turns of loops.
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
/// The number of the first turn: those that are left over go on where time tiles end.
std::int64_t FirstTurn(const Turns& turns, const ParameterValues& values);
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

/// The integers between bounds that are numbers; empty where some bound is none, or nothing is
/// left.
std::optional<Range> KnownValues(const Interval& interval);

/// True where every x of `inner` is in `outer`, for every choice of parameters >= 1.
bool AlwaysContains(const Interval& outer, const Interval& inner);
/// True where the interval is empty for every choice of parameters >= 1.
bool AlwaysEmpty(const Interval& interval);

std::int64_t FloorDiv(std::int64_t a, std::int64_t b);
std::int64_t CeilDiv(std::int64_t a, std::int64_t b);

}  // namespace stencilgen::graph
