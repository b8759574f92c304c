#include "choose/choose_matrix_tiles.h"

#include <algorithm>
#include <utility>

#include "graph/nodes.h"
#include "lower/cpp/matrix_packs.h"
#include "plan/matrix_tiles.h"

namespace stencilgen::choose {
namespace {

using graph::Graph;
using graph::Operator;
using plan::MatrixKernel;
using plan::MatrixTile;

/// What a block may have without asking for more.
constexpr std::int64_t kSharedBytes = std::int64_t{48} * 1024;

/// Turns whose elements are in shared memory at once.
constexpr int kDepth = 16;

/// The iterator that a block has points along besides the last: that by which rows are read, where
/// the kernel transposes; else the one before the last.
std::size_t SecondIterator(const Graph& graph, const MatrixKernel& found) {
  const Operator& op = *found.op;
  const std::size_t last = op.iterators.size() - 1;
  if (!found.transposes) return last - 1;
  for (const graph::ExprId id : graph::Accesses(graph, op)) {
    const auto& access = std::get<graph::Access>(graph.exprs[id].node);
    if (access.indices.empty() || access.indices.back().iterator < 0) continue;
    const auto at =
        std::find(op.iterators.begin(), op.iterators.end(), access.indices.back().iterator);
    const auto n = static_cast<std::size_t>(at - op.iterators.begin());
    if (n < last) return n;
  }
  return last - 1;
}

double BlocksOf(const Operator& op, const MatrixTile& tile, const graph::ParameterValues& sizes) {
  double blocks = 1;
  for (std::size_t n = 0; n < op.iterators.size(); ++n) {
    const auto points = static_cast<double>(graph::Evaluate(op.domain.intervals[n], sizes).size());
    blocks *= std::max(1.0, points / plan::PointsOfBlock(tile, n));
  }
  return blocks;
}

MatrixTile GpuTile(const Graph& graph, const MatrixKernel& found, const machine::Gpu& device,
                   const graph::ParameterValues& sizes) {
  const std::size_t count = found.op->iterators.size();
  MatrixTile tile;
  tile.threads.assign(count, 1);
  tile.points.assign(count, 1);
  tile.depth = kDepth;
  if (count == 1) {
    tile.threads = {128};
    return tile;
  }
  const std::size_t second = SecondIterator(graph, found);
  if (found.transposes) {
    tile.threads.back() = 32;
    tile.threads[second] = 8;
    tile.points[second] = 4;
    return tile;
  }
  tile.threads.back() = tile.threads[second] = 16;
  for (const int points : {4, 2, 1}) {
    tile.points.back() = tile.points[second] = points;
    if (sizes.size() != graph.parameters.size()) break;
    if (BlocksOf(*found.op, tile, sizes) >= device.sms) break;
  }
  return tile;
}

/// Rows of packs, whose sums fit the registers of a core and hide each other's additions.
MatrixTile CpuTile(const Graph& graph, const MatrixKernel& found) {
  const std::size_t count = found.op->iterators.size();
  MatrixTile tile;
  tile.points.assign(count, 1);
  tile.tile.assign(count, 0);
  tile.vectors = lower::cpp::FitsPacks(graph, *found.op);
  tile.depth = 256;  // turns that read 64 KiB of packs
  if (count == 1) {
    tile.points = {8};
    tile.tile = {512};
    return tile;
  }
  tile.tile.front() = count == 2 ? 32 : 1;
  if (found.transposes) return tile;
  tile.points[count - 2] = 4;
  tile.points.back() = tile.vectors ? 2 : 4;
  return tile;
}

}  // namespace

plan::Plan AddMatrixTiles(plan::Plan plan, const machine::Gpu& device,
                          const graph::ParameterValues& sizes) {
  return plan::AddMatrixTiles(
      std::move(plan),
      [&](const Graph& graph, const MatrixKernel& found) {
        return GpuTile(graph, found, device, sizes);
      },
      kSharedBytes);
}

plan::Plan AddMatrixTiles(plan::Plan plan) {
  return plan::AddMatrixTiles(
      std::move(plan),
      [](const Graph& graph, const MatrixKernel& found) { return CpuTile(graph, found); }, 0);
}

}  // namespace stencilgen::choose
