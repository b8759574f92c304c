#include "choose/choose_matrix_tiles.h"

#include <algorithm>
#include <utility>
#include <vector>

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

/// What was given along an iterator of so many: 0 for nothing.
int Given(const std::array<int, 3>& given, std::size_t iterator, std::size_t count) {
  const std::size_t axis = count - 1 - iterator;
  return axis < given.size() ? given[axis] : 0;
}

/// Gives the sizes their given values.
void SetGiven(const std::array<int, 3>& given, std::vector<int>& sizes) {
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const int value = Given(given, n, sizes.size());
    if (value > 0) sizes[n] = value;
  }
}

int Product(const std::vector<int>& sizes) {
  int product = 1;
  for (const int each : sizes) product *= each;
  return product;
}

/// Threads of a block whose points go along the last iterator and the second one.
std::vector<int> ThreadsOf(const MatrixKernel& found, std::size_t second, const GivenTile& given) {
  constexpr int kThreads = 256;
  const std::size_t count = found.op->iterators.size();
  std::vector<int> threads(count, 1);
  SetGiven(given.threads, threads);
  const bool chosen = Given(given.threads, second, count) == 0;
  if (Given(given.threads, count - 1, count) == 0) {
    const int row = found.transposes ? 32 : chosen ? 16 : kThreads / threads[second];
    threads.back() = std::clamp(kThreads / Product(threads), 1, std::max(1, row));
  }
  if (chosen) threads[second] = std::max(1, kThreads / Product(threads));
  return threads;
}

MatrixTile GpuTile(const Graph& graph, const MatrixKernel& found, const machine::Gpu& device,
                   const graph::ParameterValues& sizes, const GivenTile& given) {
  constexpr int kMostSums = 8192;  // of a block: registers of a multiprocessor, for two blocks
  const std::size_t count = found.op->iterators.size();
  MatrixTile tile;
  tile.threads.assign(count, 1);
  tile.points.assign(count, 1);
  tile.depth = kDepth;
  if (count == 1) {
    tile.threads = {128};
    SetGiven(given.threads, tile.threads);
    SetGiven(given.points, tile.points);
    return tile;
  }
  const std::size_t second = SecondIterator(graph, found);
  tile.threads = ThreadsOf(found, second, given);
  if (found.transposes) {
    tile.points[second] = std::max(1, tile.threads.back() / tile.threads[second]);
    SetGiven(given.points, tile.points);
    return tile;
  }
  for (const int points : {4, 2, 1}) {
    tile.points.back() = tile.points[second] = points;
    SetGiven(given.points, tile.points);
    if (Product(tile.threads) * Product(tile.points) > kMostSums) continue;
    if (sizes.size() != graph.parameters.size()) break;
    if (BlocksOf(*found.op, tile, sizes) >= device.sms) break;
  }
  return tile;
}

/// Rows of packs, whose sums fit the registers of a core and hide each other's additions.
MatrixTile CpuTile(const Graph& graph, const MatrixKernel& found, const GivenTile& given) {
  const std::size_t count = found.op->iterators.size();
  MatrixTile tile;
  tile.points.assign(count, 1);
  tile.tile.assign(count, 0);
  tile.vectors = lower::cpp::FitsPacks(graph, *found.op);
  tile.depth = 256;  // turns that read 64 KiB of packs
  if (count == 1) {
    tile.points = {8};
    tile.tile = {512};
    SetGiven(given.points, tile.points);
    return tile;
  }
  tile.tile.front() = count == 2 ? 32 : 1;
  if (!found.transposes) {
    tile.points[count - 2] = 4;
    tile.points.back() = tile.vectors ? 2 : 4;
  }
  SetGiven(given.points, tile.points);
  return tile;
}

}  // namespace

plan::Plan AddMatrixTiles(plan::Plan plan, const machine::Gpu& device,
                          const graph::ParameterValues& sizes, const GivenTile& given) {
  return plan::AddMatrixTiles(
      std::move(plan),
      [&](const Graph& graph, const MatrixKernel& found) {
        return GpuTile(graph, found, device, sizes, given);
      },
      kSharedBytes);
}

plan::Plan AddMatrixTiles(plan::Plan plan, const GivenTile& given) {
  return plan::AddMatrixTiles(
      std::move(plan),
      [&](const Graph& graph, const MatrixKernel& found) { return CpuTile(graph, found, given); },
      0);
}

}  // namespace stencilgen::choose
