#include "graph/reduction.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/check.h"

namespace stencilgen::graph {

std::string_view ToString(ReduceOp op) {
  constexpr std::string_view kNames[] = {"sum", "min", "max", "any", "all"};
  return kNames[static_cast<std::size_t>(op)];
}

double IdentityOf(ReduceOp op, ScalarType type) {
  using Int = std::numeric_limits<std::int32_t>;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case ReduceOp::Min:
      return IsFloating(type) ? kInfinity : Int::max();
    case ReduceOp::Max:
      return IsFloating(type) ? -kInfinity : Int::min();
    case ReduceOp::All:
      return 1;
    case ReduceOp::Sum:
    case ReduceOp::Any:
      break;
  }
  return 0;
}

std::vector<std::int64_t> FirstLanes(std::size_t iterators) {
  STENCILGEN_CHECK(iterators >= 1 && iterators <= 3);
  if (iterators == 1) return {65536};
  if (iterators == 2) return {64, 1024};
  return {16, 16, 256};
}

std::int64_t LanesOf(const Reduction& reduction) {
  std::int64_t lanes = 1;
  for (const std::int64_t each : reduction.lanes) lanes *= each;
  return lanes;
}

std::string ToString(const Reduction& reduction) {
  if (IsWhole(reduction)) return std::string(ToString(reduction.op));
  return fmt::format("{} in {} lanes", ToString(reduction.op), fmt::join(reduction.lanes, " x "));
}

bool IsWhole(const Reduction& reduction) {
  return LanesOf(reduction) == 1;
}

std::optional<Interval> LanesWithPoints(const Interval& interval, std::int64_t lanes) {
  Interval places;
  AddLower(places, {LinearForm::Constant(0), 1});
  AddUpper(places, {LinearForm::Constant(lanes - 1), 1});
  for (const Bound& last : interval.upper) {
    for (const Bound& first : interval.lower) {
      if (last.divisor != 1 || first.divisor != 1) return std::nullopt;
      AddUpper(places, {last.numerator - first.numerator, 1});
    }
  }
  return places;
}

}  // namespace stencilgen::graph
