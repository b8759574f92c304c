#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/cuda/tile_scope.h"

namespace stencilgen::codegen::cuda {

/// The conditions joined by `&&`, empty ones left out.
std::string And(const std::vector<std::string>& conditions);

/// The tests of a tile's kernel: which of a thread's points lie in a box, which planes of the
/// stream in a range; and when none is needed. Those of points are computed once, before the
/// stream.
class TileTests {
 public:
  explicit TileTests(TileScope& scope)
      : scope_(scope), tile_(scope.tile()), points_(plan::PointsOf(scope.tile())) {}

  using Point = std::array<int, 3>;
  /// One range name a dimension (that of the stream is not looked at here).
  using Ranges = std::array<std::string, 3>;

  /// The test that the point is in the ranges, needed up to `halo` around the tile, and where
  /// `near` is given also that it is at most so far from what the block stores. With `guarded`
  /// false the block is known to lie inside: empty where nothing is left to test.
  std::string Of(std::string_view wish, const Ranges& ranges, const plan::Halo& halo,
                 const plan::Halo* near, const Point& point, bool guarded);

  /// The test that `plane - lag` is in the range, and from `before` planes before the first that
  /// the block stores to `after` after the last.
  std::string OfPlane(const std::string& range, std::int64_t lag, std::int64_t before,
                      std::int64_t after);
  /// The test that it is in the range alone.
  std::string OfPlane(const std::string& range, std::int64_t lag);

  /// Whether tests that are asked for from now on count for what is said below of all tests.
  void Count(bool count) { count_ = count; }
  /// Where no test is needed, the points up to `halo` around the tile (along the stream: the planes
  /// `plane - lag`) lie after the range, or else before it.
  void NeedOutside(std::size_t d, const std::string& range, const plan::Halo& halo,
                   std::int64_t lag, bool after);

  /// `const bool inside = ...;`
  const std::vector<std::string>& declarations() const { return declarations_; }
  /// The condition under which all points pass all tests; empty where there is none.
  std::string Interior() const;
  /// The first and last plane for which all tests of planes pass.
  std::string SteadyBegin() const;
  std::string SteadyEnd() const;

 private:
  std::string NearTile(const plan::Halo& halo, const Point& point) const;
  void NeedPlane(const std::string& low, std::int64_t low_shift, const std::string& high,
                 std::int64_t high_shift);

  TileScope& scope_;
  const plan::Tile& tile_;
  std::vector<Point> points_;
  std::vector<std::string> declarations_;
  std::map<std::string, std::string> names_;  ///< by the conditions of all points
  std::map<std::pair<std::size_t, std::string>, std::pair<std::int64_t, std::int64_t>> inside_;
  std::set<std::string> outside_;  ///< conditions
  std::map<std::string, std::int64_t> plane_low_, plane_high_;
  bool count_ = true;
};

}  // namespace stencilgen::codegen::cuda
