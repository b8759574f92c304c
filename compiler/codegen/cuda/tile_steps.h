#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/cuda/tile_scope.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cuda {

/// The code of a tile's steps, and the tests of a thread's points that stand before it.
class TileStepPrinter {
 public:
  explicit TileStepPrinter(TileScope& scope)
      : scope_(scope), tile_(scope.tile()), points_(plan::PointsOf(scope.tile())) {}

  /// All steps in order, then the ageing of planes where there is a stream.
  void Print(CodeWriter& writer);

  /// Where a thread's points lie in what the steps test: one line each, before the stream.
  const std::vector<std::string>& tests() const { return tests_; }

 private:
  using Point = std::array<int, 3>;

  void PrintLoad(CodeWriter& writer, int version);
  void PrintPublish(CodeWriter& writer, int version);
  void PrintCompute(CodeWriter& writer, std::size_t op);
  void PrintPoint(CodeWriter& writer, std::size_t op, const Point& point,
                  const std::string& planes);
  void PrintParts(CodeWriter& writer, std::size_t op, const Point& point);
  void PrintCode(CodeWriter& writer, std::size_t op, const OperatorCode& code, const Point& point);
  void PrintBackground(CodeWriter& writer, std::size_t op, const Point& point);
  OperatorStyle StyleOf(std::size_t op, const Point& point);
  std::string Computes(std::size_t op, const Point& point);
  void PrintStore(CodeWriter& writer, const plan::TileStore& store);
  void PrintAgeing(CodeWriter& writer);
  void PrintShuffles(CodeWriter& writer, std::size_t op);

  /// The name of a test of the thread's point, `conditions` by point.
  std::string Test(std::string_view wish, const std::vector<std::string>& conditions,
                   const Point& point);
  std::string InArray(graph::VersionId version, const Point& point, bool with_plane,
                      const std::string& plane);
  std::string NearTile(const plan::Halo& halo, const Point& point) const;
  std::string InRange(std::size_t d, const std::string& range, const Point& point) const;
  std::string PlaneOf(std::int64_t lag) const;
  std::string Element(graph::VersionId version, const Point& point, const std::string& plane);
  ExprText Held(const plan::TileRead& read, const Point& point);
  bool ReadsMemory(std::size_t op, const Point& point);
  std::string SharedPosition(const Point& point, const std::array<std::int64_t, 3>& offset) const;

  TileScope& scope_;
  const plan::Tile& tile_;
  std::vector<Point> points_;
  std::vector<std::string> tests_;
  std::map<std::string, std::string> test_names_;       ///< by the conditions of all points
  std::map<std::string, std::string> shuffled_;         ///< by source and lane: the variable
};

}  // namespace stencilgen::codegen::cuda
