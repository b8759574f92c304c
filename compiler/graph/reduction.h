#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

/// Reductions: all values of a domain become one, in an order that every target keeps. They are
/// operators (Operator::reduction), three for one of the language:
///
///     round 1   the points in 65536 lanes: 64 x 1024 of two dimensions, 16 x 16 x 256 of three
///     round 2   the lanes of round 1 in 256 lanes along the last dimension
///     round 3   these one after the other
///
/// So neither threads nor tiles have a say in which values meet first.
namespace stencilgen::graph {

/// `sum`, `min`, ...
std::string_view ToString(ReduceOp op);

/// What a fold begins with: x combined with it is x. Of an integer type a whole number, of bool 0
/// or 1; the least int and the largest where there is no infinity.
double IdentityOf(ReduceOp op, ScalarType type);

/// Lanes of the first round, by iterator.
std::vector<std::int64_t> FirstLanes(std::size_t iterators);
inline constexpr std::int64_t kSecondLanes = 256;

/// How many lanes there are: elements of the result.
std::int64_t LanesOf(const Reduction& reduction);
/// `sum in 64 x 1024 lanes`, or `sum` where all points become one value.
std::string ToString(const Reduction& reduction);
/// True where all points become one value, which is written also where there are none.
bool IsWhole(const Reduction& reduction);

/// The places of lanes that have points, where a domain's iterator takes the interval's values:
/// from 0 to the smaller of lanes and points, less one. Empty where a bound is a quotient.
std::optional<Interval> LanesWithPoints(const Interval& interval, std::int64_t lanes);

}  // namespace stencilgen::graph
