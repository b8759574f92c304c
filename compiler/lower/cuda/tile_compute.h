#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lower/cuda/tile_body.h"
#include "lower/cuda/tile_edges.h"
#include "lower/cuda/tile_scope.h"
#include "lower/cuda/tile_tests.h"

namespace stencilgen::lower::cuda {

/// The code of a tile's operators: point by point as they are written, or all points of a thread as
/// one body where none of them is tested, and where they are reordered or their sums have something
/// in common.
class TileCompute {
 public:
  TileCompute(TileScope& scope, TileTests& tests, TileEdges& edges)
      : scope_(scope),
        tile_(scope.tile()),
        tests_(tests),
        edges_(edges),
        points_(plan::PointsOf(scope.tile())),
        reorders_(passes::Reorders(OrderOf(scope.model().options(), scope.kernel()).how)) {}

  /// The operator's newest plane, for all of the thread's points.
  void Lower(kernel::Block& block, std::size_t op, bool guarded);
  /// The sums of planes to come are one step nearer.
  void LowerAgeing(kernel::Block& block);

 private:
  using Point = TilePoint;

  void LowerBeyondWall(kernel::Block& block, std::size_t op, const plan::Wall& wall);
  void NeedInside(std::size_t op);
  void LowerShuffles(kernel::Block& block, std::size_t op);
  void LowerPoint(kernel::Block& block, std::size_t op, const Point& point);
  void LowerTogether(kernel::Block& block, std::size_t op);
  void LowerOrdered(kernel::Block& block, std::size_t op, const std::vector<Point>& points);
  bool Skips(std::size_t op, const Point& point);
  bool IsBody(std::size_t op);
  const TileBody& BodyOf(std::size_t op, const std::vector<Point>& points);
  void LowerParts(kernel::Block& block, std::size_t op, const Point& point);
  void LowerIterators(kernel::Block& block, std::size_t op, const OperatorCode& code,
                      const Point& point);
  void LowerCode(kernel::Block& block, std::size_t op, const OperatorCode& code,
                 const Point& point);
  kernel::Block Background(kernel::Expr& condition, std::size_t op, const Point& point);
  kernel::Expr Test(std::size_t op, const Point& point);
  kernel::Expr HeldAt(std::size_t op, const graph::Access& access, const plan::TileRead& read,
                      const plan::Offset& distance, const std::vector<TileElements::Moved>& moved);
  OperatorStyle StyleOf(std::size_t op, const Point& point);
  OperatorStyle BodyStyle(std::size_t op, const std::vector<Point>& points);
  kernel::Expr Held(const plan::TileRead& read, const Point& point);
  kernel::Expr TargetOf(std::size_t op, const kernel::Statement& statement) const;
  kernel::Expr ResultOf(std::size_t op, const Point& point) const;
  bool ReadsMemory(std::size_t op) const;
  const plan::TileVersion& Result(std::size_t op) const;

  TileScope& scope_;
  const plan::Tile& tile_;
  TileTests& tests_;
  TileEdges& edges_;
  std::vector<Point> points_;
  bool guarded_ = true;  ///< of the steps being lowered
  bool reorders_;
  std::map<std::pair<std::size_t, std::vector<Point>>, TileBody> bodies_;
  std::map<std::string, kernel::VarRef> shuffled_;  ///< by source and lanes
};

}  // namespace stencilgen::lower::cuda
