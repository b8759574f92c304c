#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/cuda/tile_scope.h"
#include "codegen/cuda/tile_tests.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cuda {

/// The code of a tile's operators.
class TileComputePrinter {
 public:
  TileComputePrinter(TileScope& scope, TileTests& tests)
      : scope_(scope), tile_(scope.tile()), tests_(tests), points_(plan::PointsOf(scope.tile())) {}

  /// The operator's newest plane, for all of the thread's points.
  void Print(CodeWriter& writer, std::size_t op, bool guarded);
  /// The sums of planes to come are one step nearer.
  void PrintAgeing(CodeWriter& writer);

 private:
  using Point = std::array<int, 3>;

  void PrintBeyondWall(CodeWriter& writer, std::size_t op, const plan::Wall& wall);
  void PrintShuffles(CodeWriter& writer, std::size_t op);
  void PrintPoint(CodeWriter& writer, std::size_t op, const Point& point, bool guarded);
  void PrintParts(CodeWriter& writer, std::size_t op, const Point& point);
  void PrintCode(CodeWriter& writer, std::size_t op, const OperatorCode& code, const Point& point);
  void PrintBackground(CodeWriter& writer, std::size_t op, const Point& point, bool guarded);
  std::string Test(std::size_t op, const Point& point, bool guarded);
  OperatorStyle StyleOf(std::size_t op, const Point& point);
  ExprText Held(const plan::TileRead& read, const Point& point);
  bool ReadsMemory(std::size_t op) const;
  const plan::TileVersion& Result(std::size_t op) const;

  TileScope& scope_;
  const plan::Tile& tile_;
  TileTests& tests_;
  std::vector<Point> points_;
  std::map<std::string, std::string> shuffled_;  ///< by source and lanes: the variable
};

}  // namespace stencilgen::codegen::cuda
