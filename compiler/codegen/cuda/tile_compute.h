#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/cuda/tile_body.h"
#include "codegen/cuda/tile_scope.h"
#include "codegen/cuda/tile_tests.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cuda {

/// The code of a tile's operators: point by point as they are written, or reordered, all points of
/// a thread as one body where none of them is tested.
class TileComputePrinter {
 public:
  TileComputePrinter(TileScope& scope, TileTests& tests)
      : scope_(scope),
        tile_(scope.tile()),
        tests_(tests),
        points_(plan::PointsOf(scope.tile())),
        reorders_(passes::Reorders(OrderOf(scope.model().options(), scope.kernel()).how)) {}

  /// The operator's newest plane, for all of the thread's points.
  void Print(CodeWriter& writer, std::size_t op, bool guarded);
  /// The sums of planes to come are one step nearer.
  void PrintAgeing(CodeWriter& writer);

 private:
  using Point = TilePoint;

  void PrintBeyondWall(CodeWriter& writer, std::size_t op, const plan::Wall& wall);
  void PrintShuffles(CodeWriter& writer, std::size_t op);
  void PrintPoint(CodeWriter& writer, std::size_t op, const Point& point, bool guarded);
  void PrintTogether(CodeWriter& writer, std::size_t op, bool guarded);
  void PrintOrdered(CodeWriter& writer, std::size_t op, const std::vector<Point>& points);
  bool Skips(std::size_t op, const Point& point, bool guarded);
  void PrintParts(CodeWriter& writer, std::size_t op, const Point& point);
  void PrintIterators(CodeWriter& writer, std::size_t op, const OperatorCode& code,
                      const Point& point);
  void PrintCode(CodeWriter& writer, std::size_t op, const OperatorCode& code, const Point& point);
  void PrintBackground(CodeWriter& writer, std::size_t op, const Point& point, bool guarded);
  std::string Test(std::size_t op, const Point& point, bool guarded);
  OperatorStyle StyleOf(std::size_t op, const Point& point);
  OperatorStyle BodyStyle(std::size_t op, const std::vector<Point>& points);
  ExprText Held(const plan::TileRead& read, const Point& point);
  std::string TargetOf(std::size_t op, const kernel::Statement& statement) const;
  bool ReadsMemory(std::size_t op) const;
  const plan::TileVersion& Result(std::size_t op) const;

  TileScope& scope_;
  const plan::Tile& tile_;
  TileTests& tests_;
  std::vector<Point> points_;
  bool reorders_;
  std::map<std::pair<std::size_t, std::vector<Point>>, TileBody> bodies_;
  std::map<std::string, std::string> shuffled_;  ///< by source and lanes: the variable
};

}  // namespace stencilgen::codegen::cuda
