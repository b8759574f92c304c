#include "lower/cuda/tile_tests.h"

#include <algorithm>

namespace stencilgen::lower::cuda {

using kernel::Expr;
using kernel::Number;
using kernel::Read;

namespace {

Expr Compare(BinaryOp op, const Expr& a, const Expr& b) {
  return kernel::Apply(op, a, b);
}

/// `at >= lo && at <= hi`
Expr IsIn(const Expr& at, const TileScope::Range& range) {
  return kernel::And({Compare(BinaryOp::GreaterEqual, at, Read(range.lo)),
                      Compare(BinaryOp::LessEqual, at, Read(range.hi))});
}

}  // namespace

/// `Max(a, Max(b, c))`
Expr TileTests::Nested(Function function, const std::map<std::string, Shifted>& terms) {
  Expr value;
  for (const auto& [name, each] : terms) {
    const Expr term = Read(each.var) + Number(each.shift);
    value = value.Valid() ? kernel::Call(function, term.type(), {term, value}) : term;
  }
  return value;
}

Expr TileTests::NearTile(const plan::Halo& halo, const Point& point) const {
  std::vector<Expr> conditions;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.stream == d) continue;
    const Expr at = scope_.Coordinate(d, point);
    const Expr start = Read(scope_.TileFrom(d));
    // Points that the block has anyway need no test.
    if (point[d] - tile_.halo.lo[d] < -halo.lo[d]) {
      conditions.push_back(Compare(BinaryOp::GreaterEqual, at, start - Number(halo.lo[d])));
    }
    const std::int64_t last =
        point[d] + std::int64_t{tile_.threads[d] - 1} * tile_.points[d] - tile_.halo.lo[d];
    if (last >= tile_.Stored(d) + halo.hi[d]) {
      conditions.push_back(
          scope_.TileTo(d) == nullptr
              ? Compare(BinaryOp::Less, at,
                        Read(scope_.TileStart(d)) + Number(tile_.Stored(d) + halo.hi[d]))
              : Compare(BinaryOp::LessEqual, at, scope_.Last(d, halo.hi[d])));
    }
  }
  return kernel::And(conditions);
}

Expr TileTests::Of(std::string_view wish, const Ranges& ranges, const plan::Halo& halo,
                   const plan::Halo* near, const Point& point, bool guarded,
                   const plan::Halo& beyond) {
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.stream == d || ranges[d] == nullptr) continue;
    NeedInside(d, *ranges[d], 0, halo.lo[d], halo.hi[d]);
  }
  std::vector<Expr> conditions;
  for (const Point& each : points_) {
    std::vector<Expr> parts;
    if (near != nullptr) parts.push_back(NearTile(*near, each));
    for (std::size_t d = 0; guarded && d < tile_.dimensions; ++d) {
      if (tile_.stream == d || ranges[d] == nullptr) continue;
      const Expr at = scope_.Coordinate(d, each);
      parts.push_back(
          Compare(BinaryOp::GreaterEqual, at, Read(ranges[d]->lo) - Number(beyond.lo[d])));
      parts.push_back(Compare(BinaryOp::LessEqual, at, Read(ranges[d]->hi) + Number(beyond.hi[d])));
    }
    conditions.push_back(kernel::And(parts));
  }
  const std::size_t place = scope_.PlaceOf(point);
  if (!conditions[place].Valid()) return {};
  std::string key;
  for (Expr& condition : conditions) {
    if (!condition.Valid()) condition = kernel::Constant(kernel::kBool, std::int64_t{1});
    key += kernel::Print(condition) + "; ";
  }
  const auto [at, is_new] = vars_.try_emplace(key);
  const bool single = points_.size() == 1;
  if (is_new) {
    at->second = kernel::MakeVar(scope_.Claim(wish), kernel::kBool,
                                 single ? kernel::Storage::Value : kernel::Storage::Registers,
                                 static_cast<int>(points_.size()));
    if (single) {
      declarations_.Add(kernel::LetStmt{at->second, conditions.front()});
    } else {
      declarations_.Add(kernel::TableStmt{at->second, conditions});
    }
  }
  return single ? Read(at->second)
                : kernel::ElementAt(at->second, Number(static_cast<std::int64_t>(place)));
}

void TileTests::NeedPlane(const kernel::VarRef& low, std::int64_t low_shift,
                          const kernel::VarRef& high, std::int64_t high_shift) {
  if (!count_) return;
  Shifted& lowest = plane_low_.try_emplace(low->name, Shifted{low, low_shift}).first->second;
  lowest.shift = std::max(lowest.shift, low_shift);
  Shifted& highest = plane_high_.try_emplace(high->name, Shifted{high, high_shift}).first->second;
  highest.shift = std::min(highest.shift, high_shift);
}

Expr TileTests::OfPlane(const Range& range, std::int64_t lag) {
  NeedPlane(range.lo, lag, range.hi, lag);
  return IsIn(scope_.Plane() - Number(lag), range);
}

void TileTests::NeedInside(std::size_t d, const Range& range, std::int64_t lag, std::int64_t before,
                           std::int64_t after) {
  if (!count_) return;
  if (tile_.stream == d) return NeedPlane(range.lo, lag + before, range.hi, lag - after);
  Inside& inside = inside_[{d, range.name}];
  inside.range = &range;
  inside.lo = std::max(inside.lo, before);
  inside.hi = std::max(inside.hi, after);
}

Expr TileTests::OfPlane(const Range* range, std::int64_t lag, std::int64_t before,
                        std::int64_t after) {
  NeedPlane(scope_.plane_first(), lag - before, scope_.plane_last(), lag + after);
  // The stream begins and ends somewhere: what it does not reach needs no test.
  const Expr plane = scope_.Plane() - Number(lag);
  std::vector<Expr> conditions;
  // What the grid covers contains the planes that a block stores.
  const bool covered = before <= 0 && after <= 0 && range != nullptr &&
                       range->name == scope_.Grid(*tile_.stream).name;
  if (range != nullptr && !covered) conditions.push_back(OfPlane(*range, lag));
  if (before - lag < tile_.StepsBefore() + tile_.Skew()) {
    conditions.push_back(
        Compare(BinaryOp::GreaterEqual, plane, Read(scope_.plane_first()) - Number(before)));
  }
  if (after + lag < tile_.StepsAfter()) {
    conditions.push_back(
        Compare(BinaryOp::LessEqual, plane, Read(scope_.plane_last()) + Number(after)));
  }
  return kernel::And(conditions);
}

void TileTests::NeedOutside(std::size_t d, const Range& range, const plan::Halo& halo,
                            std::int64_t lag, bool after) {
  const kernel::VarRef& end = after ? range.hi : range.lo;
  if (tile_.stream == d) {
    auto& planes = after ? plane_low_ : plane_high_;
    const std::int64_t shift = after ? lag + 1 : lag - 1;
    Shifted& at = planes.try_emplace(end->name, Shifted{end, shift}).first->second;
    at.shift = after ? std::max(at.shift, shift) : std::min(at.shift, shift);
    return;
  }
  const Expr start = Read(scope_.TileFrom(d));
  const Expr condition = after ? Compare(BinaryOp::Greater, start - Number(halo.lo[d]), Read(end))
                               : Compare(BinaryOp::Less, scope_.Last(d, halo.hi[d]), Read(end));
  outside_.try_emplace(kernel::Print(condition), condition);
}

Expr TileTests::Interior() const {
  std::vector<Expr> conditions;
  for (const auto& [text, condition] : outside_) conditions.push_back(condition);
  for (const auto& [place, inside] : inside_) {
    const std::size_t d = place.first;
    const Expr start = Read(scope_.TileFrom(d));
    conditions.push_back(
        Compare(BinaryOp::GreaterEqual, start - Number(inside.lo), Read(inside.range->lo)));
    conditions.push_back(
        Compare(BinaryOp::LessEqual, scope_.Last(d, inside.hi), Read(inside.range->hi)));
  }
  return kernel::And(conditions);
}

Expr TileTests::SteadyBegin() const {
  const Expr first = Nested(Function::Max, plane_low_);
  return tile_.pipeline ? first + Number(tile_.Skew()) : first;  // for the last stage too
}
Expr TileTests::SteadyEnd() const {
  return Nested(Function::Min, plane_high_);
}

}  // namespace stencilgen::lower::cuda
