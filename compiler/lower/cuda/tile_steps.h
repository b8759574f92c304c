#pragma once

#include <array>
#include <vector>

#include "lower/cuda/tile_compute.h"
#include "lower/cuda/tile_pipeline.h"
#include "lower/cuda/tile_rims.h"
#include "lower/cuda/tile_scope.h"
#include "lower/cuda/tile_tests.h"
#include "plan/published.h"

namespace stencilgen::lower::cuda {

/// The code of what all threads do in a step of a tile.
class TileSteps {
 public:
  TileSteps(TileScope& scope, TileTests& tests, TileEdges& edges)
      : scope_(scope),
        tile_(scope.tile()),
        tests_(tests),
        edges_(edges),
        compute_(scope, tests, edges),
        rims_(scope, edges),
        pipeline_(scope),
        points_(plan::PointsOf(scope.tile())),
        published_(plan::FindPublished(scope.model().graph(), scope.tile())) {}

  /// All steps in order, then the ageing of planes where there is a stream. Without `guarded`, no
  /// test of the domains' or arrays' bounds: for planes and blocks where all would pass.
  kernel::Block Lower(bool guarded);
  const TileRims& rims() const { return rims_; }
  const TilePipeline& pipeline() const { return pipeline_; }
  /// Known when the kernel is compiled: rows may be moved as vectors.
  const kernel::VarRef& vectors() const { return vectors_; }

 private:
  using Point = std::array<int, 3>;

  void LowerLoad(kernel::Block& block, int version, bool guarded);
  void LowerLoads(kernel::Block& block, int version, const kernel::VarRef& pointer, bool guarded);
  void LowerCopies(kernel::Block& block, int version, const kernel::VarRef& pointer, bool guarded);
  void LowerRim(kernel::Block& block, int version, bool guarded);
  kernel::Expr PlanesOf(int version, const plan::Halo& halo, std::int64_t late, bool guarded);
  void LowerElement(kernel::Block& block, const kernel::Expr& test, int version,
                    const kernel::VarRef& pointer, const Point& point, bool guarded);
  std::vector<std::vector<Point>> VectorsOf(graph::VersionId version, bool single) const;
  kernel::TableStmt Values(int version, int age, const std::vector<Point>& points) const;
  void LowerPublish(kernel::Block& block, int version);
  void LowerStore(kernel::Block& block, const plan::TileStore& store, bool guarded);
  void LowerStores(kernel::Block& block, const plan::TileStore& store,
                   const TileTests::Ranges& ranges, bool guarded);
  void LowerAgeing(kernel::Block& block);
  void AgePlanes(kernel::Block& block, int version) const;
  void AgeSlots(kernel::Block& block, int version) const;
  kernel::Expr Distance(graph::VersionId version, const Point& point);

  TileScope& scope_;
  const plan::Tile& tile_;
  TileTests& tests_;
  TileEdges& edges_;
  TileCompute compute_;
  TileRims rims_;
  TilePipeline pipeline_;
  std::vector<Point> points_;
  std::vector<std::vector<bool>> published_;  ///< by version and point
  kernel::VarRef vectors_ = kernel::MakeVar("kVectors", kernel::kBool);
};

}  // namespace stencilgen::lower::cuda
