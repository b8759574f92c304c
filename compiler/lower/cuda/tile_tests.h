#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lower/cuda/tile_scope.h"

namespace stencilgen::lower::cuda {

/// The tests of a tile's kernel: which of a thread's points lie in a box, which planes of the
/// stream in a range; and when none is needed. Those of points are computed once, before the
/// stream.
class TileTests {
 public:
  explicit TileTests(TileScope& scope)
      : scope_(scope), tile_(scope.tile()), points_(plan::PointsOf(scope.tile())) {}

  using Point = std::array<int, 3>;
  using Range = TileScope::Range;
  /// One range a dimension (that of the stream is not looked at here).
  /// Without one there is nothing to test along the dimension.
  using Ranges = std::array<const Range*, 3>;

  /// The test that the point is in the ranges, needed up to `halo` around the tile, and where
  /// `near` is given also that it is at most so far from what the block stores. With `guarded`
  /// false the block is known to lie inside: invalid where nothing is left to test. Points up to
  /// `beyond` around a range count as in it; blocks that have such are not inside.
  kernel::Expr Of(std::string_view wish, const Ranges& ranges, const plan::Halo& halo,
                  const plan::Halo* near, const Point& point, bool guarded,
                  const plan::Halo& beyond = {});

  /// The test that `plane - lag` is in the range, where one is given, and from `before` planes
  /// before the first that the block stores to `after` after the last.
  kernel::Expr OfPlane(const Range* range, std::int64_t lag, std::int64_t before,
                       std::int64_t after);
  /// The test that it is in the range alone.
  kernel::Expr OfPlane(const Range& range, std::int64_t lag);

  /// Where no test is needed, the points from `before` ahead of the tile's first to `after` behind
  /// its last (along the stream: of `plane - lag`) lie in the range.
  void NeedInside(std::size_t d, const Range& range, std::int64_t lag, std::int64_t before,
                  std::int64_t after);

  /// Whether tests that are asked for from now on count for what is said below of all tests.
  void Count(bool count) { count_ = count; }
  /// Where no test is needed, the points up to `halo` around the tile (along the stream: the planes
  /// `plane - lag`) lie after the range, or else before it.
  void NeedOutside(std::size_t d, const Range& range, const plan::Halo& halo, std::int64_t lag,
                   bool after);

  /// `const bool inside = ...;`
  const kernel::Block& declarations() const { return declarations_; }
  /// The condition under which all points pass all tests; invalid where there is none.
  kernel::Expr Interior() const;
  /// The first and last plane for which all tests of planes pass.
  kernel::Expr SteadyBegin() const;
  kernel::Expr SteadyEnd() const;

 private:
  kernel::Expr NearTile(const plan::Halo& halo, const Point& point) const;
  void NeedPlane(const kernel::VarRef& low, std::int64_t low_shift, const kernel::VarRef& high,
                 std::int64_t high_shift);

  struct Shifted {
    kernel::VarRef var;
    std::int64_t shift = 0;
  };
  struct Inside {
    const Range* range = nullptr;
    std::int64_t lo = 0, hi = 0;
  };
  static kernel::Expr Nested(Function function, const std::map<std::string, Shifted>& terms);

  TileScope& scope_;
  const plan::Tile& tile_;
  std::vector<Point> points_;
  kernel::Block declarations_;
  std::map<std::string, kernel::VarRef> vars_;  ///< by the conditions of all points
  std::map<std::pair<std::size_t, std::string>, Inside> inside_;  ///< by dimension and range
  std::map<std::string, kernel::Expr> outside_;                   ///< by text of the condition
  std::map<std::string, Shifted> plane_low_, plane_high_;         ///< by name
  bool count_ = true;
};

}  // namespace stencilgen::lower::cuda
