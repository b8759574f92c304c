#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lower/cuda/tile_body.h"
#include "lower/cuda/tile_scope.h"

namespace stencilgen::lower::cuda {

/// What blocks and planes at the edges of arrays with boundary modes do otherwise than those away
/// from them (plan/tile_edges.h). Tests of points, and distances, are computed once, before the
/// stream.
class TileEdges {
 public:
  explicit TileEdges(TileScope& scope) : scope_(scope), tile_(scope.tile()) {}

  /// The element of an access that is `distance` from the thread's first point in the plane that
  /// its operator finishes, which it makes `lag` steps late; or the one of `moved` that a boundary
  /// mode says, or its constant. `held` gives the element at a distance.
  kernel::Expr Choose(const graph::Access& access, const plan::Offset& distance,
                      const std::vector<TileElements::Moved>& moved, std::int64_t lag,
                      const std::function<kernel::Expr(const plan::Offset&)>& held);

  /// How far in memory the element that the version has at the point, in the plane that it loads
  /// `late` steps after its newest, is from where it would be beyond an end of the array. Invalid
  /// where the version does not go around.
  kernel::Expr Around(int version, const TilePoint& point, std::int64_t late);
  /// The part of that along the stream alone.
  kernel::Expr AroundStream(int version, std::int64_t late);

  /// The part along a dimension across the stream, of an element `distance` from the thread's first
  /// point; 0 where the version does not go around.
  kernel::Expr Beyond(int version, std::size_t d, const kernel::Expr& distance);

  /// The coordinate of the operator's result at the point, inside the array.
  kernel::Expr Inside(const plan::TileVersion& result, std::size_t d, const TilePoint& point);

  /// True where it is computed which place stands for one: by twice an extent, where that mirrors.
  bool FindsPlaces() const { return finds_places_; }

  /// `const bool i_at_edge = ...;`
  const kernel::Block& declarations() const { return declarations_; }

 private:
  kernel::Expr Coordinate(std::size_t d, std::int64_t distance, std::int64_t lag) const;
  kernel::Expr Extent(graph::VersionId version, std::size_t d);
  kernel::Expr Wrapped(graph::VersionId version, std::size_t d, const kernel::Expr& coordinate);
  kernel::Expr Distance(graph::VersionId version, std::size_t d, const kernel::Expr& coordinate);
  kernel::Expr Known(std::string_view wish, const kernel::Expr& value);

  TileScope& scope_;
  const plan::Tile& tile_;
  kernel::Block declarations_;
  bool finds_places_ = false;
  std::map<std::string, kernel::VarRef> vars_;  ///< by the text of their values
};

}  // namespace stencilgen::lower::cuda
