#pragma once

#include <string>
#include <vector>

#include "codegen/cuda/tile_compute.h"
#include "codegen/cuda/tile_rims.h"
#include "codegen/cuda/tile_scope.h"
#include "codegen/cuda/tile_tests.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cuda {

/// The code of what all threads do in a step of a tile.
class TileStepPrinter {
 public:
  TileStepPrinter(TileScope& scope, TileTests& tests)
      : scope_(scope),
        tile_(scope.tile()),
        tests_(tests),
        compute_(scope, tests),
        rims_(scope),
        points_(plan::PointsOf(scope.tile())) {}

  /// All steps in order, then the ageing of planes where there is a stream. Without `guarded`, no
  /// test of the domains' or arrays' bounds: for planes and blocks where all would pass.
  void Print(CodeWriter& writer, bool guarded);
  const TileRims& rims() const { return rims_; }

 private:
  using Point = std::array<int, 3>;

  void PrintLoad(CodeWriter& writer, int version, bool guarded);
  void PrintRim(CodeWriter& writer, int version, bool guarded);
  void PrintElement(CodeWriter& writer, const std::string& test, int version,
                    const std::string& pointer, const Point& point);
  std::vector<std::vector<Point>> VectorsOf(graph::VersionId version, bool single) const;
  std::string Values(int version, int age, const std::vector<Point>& points) const;
  void PrintPublish(CodeWriter& writer, int version);
  void PrintStore(CodeWriter& writer, const plan::TileStore& store, bool guarded);
  void PrintAgeing(CodeWriter& writer);
  Term Distance(graph::VersionId version, const Point& point);

  TileScope& scope_;
  const plan::Tile& tile_;
  TileTests& tests_;
  TileComputePrinter compute_;
  TileRims rims_;
  std::vector<Point> points_;
};

}  // namespace stencilgen::codegen::cuda
