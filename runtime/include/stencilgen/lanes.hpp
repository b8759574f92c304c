#ifndef STENCILGEN_LANES_HPP
#define STENCILGEN_LANES_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "stencilgen/box.hpp"

/// The first round of reductions: points of a domain are dealt out to lanes, and each lane takes
/// its points in their order, the last iterator running fastest.
namespace stencilgen::lanes {

using mpi::Box;

/// How values of many points become one.
enum class Fold { Sum, Min, Max, Any, All };

/// What a lane begins with.
template <typename T>
T Identity(Fold fold) {
  using Limits = std::numeric_limits<T>;
  switch (fold) {
    case Fold::Min:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Fold::Max:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Fold::All:
      return T{1};
    case Fold::Sum:
    case Fold::Any:
      break;
  }
  return T{};
}

/// Both values, the earlier one first.
template <Fold fold, typename T>
T Combined(T before, T value) {
  if constexpr (fold == Fold::Min) return value < before ? value : before;
  if constexpr (fold == Fold::Max) return before < value ? value : before;
  if constexpr (fold == Fold::Any) return static_cast<T>(before || value);
  if constexpr (fold == Fold::All) return static_cast<T>(before && value);
  return static_cast<T>(before + value);
}

/// Calls `call.operator()<fold>()`.
template <typename Call>
auto WithFold(Fold fold, Call call) {
  switch (fold) {
    case Fold::Min:
      return call(std::integral_constant<Fold, Fold::Min>());
    case Fold::Max:
      return call(std::integral_constant<Fold, Fold::Max>());
    case Fold::Any:
      return call(std::integral_constant<Fold, Fold::Any>());
    case Fold::All:
      return call(std::integral_constant<Fold, Fold::All>());
    case Fold::Sum:
      break;
  }
  return call(std::integral_constant<Fold, Fold::Sum>());
}

/// Quotients of whole numbers, rounded up and down. Requires: the divisor is positive.
inline long long FloorDiv(long long a, long long b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}
inline long long CeilDiv(long long a, long long b) {
  return -FloorDiv(-a, b);
}

/// The points of a domain, and the lanes that they are dealt out to, by iterator.
struct Deal {
  Deal(std::vector<long long> first_point, const std::vector<long long>& last_point,
       std::vector<long long> all_lanes)
      : first(std::move(first_point)), end(first.size()), lanes(std::move(all_lanes)) {
    for (std::size_t d = 0; d < first.size(); ++d) {
      end[d] = std::max(first[d], last_point[d] + 1);
      filled.push_back(std::min(lanes[d], end[d] - first[d]));
      count *= filled[d];
    }
  }
  /// Of no point.
  static Deal None(const std::vector<long long>& lanes) {
    const std::vector<long long> zeros(lanes.size(), 0);
    return {zeros, std::vector<long long>(lanes.size(), -1), lanes};
  }
  std::vector<long long> first, end, lanes;
  std::vector<long long> filled;  ///< lanes that have points
  long long count = 1;            ///< of these; they are numbered with the last iterator fastest

  /// Where a lane of that number lies in an array of all lanes.
  long long PlaceOf(long long lane) const {
    long long place = 0;
    long long stride = 1;
    for (std::size_t d = lanes.size(); d-- > 0;) {
      place += lane % filled[d] * stride;
      lane /= filled[d];
      stride *= lanes[d];
    }
    return place;
  }
};

/// The points of a box that are in the domain.
inline Box Within(const Deal& deal, Box box) {
  for (std::size_t d = 0; d < box.first.size(); ++d) {
    box.first[d] = std::max(box.first[d], deal.first[d]);
    box.end[d] = std::min(box.end[d], deal.end[d]);
  }
  return box;
}

/// The points of a row, from `point` to before `end` along the last iterator, whose lanes' numbers
/// are from `begin` to before `last`: calls visit(first of them, how many, number of its lane) for
/// each run of neighbours, in order.
template <typename Visit>
void ForEachRun(const Deal& deal, const std::vector<long long>& point, long long end,
                long long begin, long long last, Visit visit) {
  const std::size_t inner = point.size() - 1;
  long long row = 0;
  for (std::size_t d = 0; d < inner; ++d) {
    row = row * deal.filled[d] + (point[d] - deal.first[d]) % deal.lanes[d];
  }
  row *= deal.filled[inner];
  const long long from = std::max(0LL, begin - row);
  const long long to = std::min(deal.filled[inner], last - row);
  if (from >= to) return;
  const long long lanes = deal.lanes[inner];
  const long long origin = deal.first[inner];
  for (long long block = (point[inner] - origin) / lanes * lanes; origin + block < end;
       block += lanes) {
    const long long low = std::max(point[inner], origin + block + from);
    const long long high = std::min(end, origin + block + to);
    if (low < high) visit(low, high - low, row + (low - origin - block));
  }
}

}  // namespace stencilgen::lanes

#endif  // STENCILGEN_LANES_HPP
