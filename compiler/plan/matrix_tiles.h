#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/plan.h"

/// Where kernels may have a MatrixTile, and what is in its shared memory.
namespace stencilgen::plan {

/// An operator that may have a matrix tile, and the loops around it.
struct MatrixKernel {
  const graph::Operator* op = nullptr;
  std::vector<graph::NodeId> loops;  ///< MatrixTile::loops
  bool transposes = false;           ///< without loops
};

/// The sizes of a kernel's tile: all of it but the loops and the boxes.
using MatrixShape = std::function<MatrixTile(const graph::Graph&, const MatrixKernel&)>;

/// Kernels that are all that loops around them do, where each point changes its element alone
/// (graph/pointwise_loops.h), and kernels that read rows of an array where they write columns, get
/// matrix tiles of those sizes, instead of tiles or vectors. `shared_bytes`: that a block may have
/// for boxes; 0 on a CPU.
/// Requires: Verify(plan) is empty. Ensures: it still is.
Plan AddMatrixTiles(Plan plan, const MatrixShape& shape, std::int64_t shared_bytes);

/// The turn that the tile has boxes along: of its last loop; invalid without one.
graph::ParameterId TurnOfBoxes(const graph::Graph& graph, const MatrixTile& tile);

/// How far the box reaches along a dimension of its array from where the block's points, by
/// iterator, and turns begin.
int BoxExtent(const graph::Operator& op, const MatrixTile& tile, const graph::Index& index,
              graph::ParameterId turn);

/// Points of a block along an iterator.
int PointsOfBlock(const MatrixTile& tile, std::size_t iterator);

/// Bytes of shared memory that the boxes take.
std::int64_t SharedBytes(const graph::Graph& graph, const MatrixTile& tile);

/// True where a kernel of the loop's body runs all its turns, so that the loop is its launch.
bool RunsInKernel(const Plan& plan, const Repeat& repeat);

/// What is wrong with the kernel's matrix tile, for the plan's steps; empty for nothing.
/// Requires: it has one.
std::vector<std::string> VerifyMatrixTile(const Plan& plan, KernelId kernel);

/// `all turns of k in each point, blocks of 64x64 points, boxes of A 64x16, B 16x64`.
std::string ToString(const graph::Graph& graph, const graph::Operator& op, const MatrixTile& tile);

}  // namespace stencilgen::plan
