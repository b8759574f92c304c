#include "plan/thread_work.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/nodes.h"
#include "plan/barriers.h"
#include "plan/critical_path.h"
#include "plan/live_registers.h"
#include "plan/tile_body.h"
#include "plan/traffic_parts.h"

namespace stencilgen::plan {
namespace {

using graph::Operator;

/// A kernel without a tile: windows, pointers, and operands on their way.
int PointRegisters(const Plan& plan, const Kernel& kernel) {
  constexpr int kAddresses = 26;              ///< coordinates, loop, tests, bounds
  constexpr std::int64_t kMostInFlight = 16;  ///< operands the compiler fetches ahead
  const Operator& op = graph::OperatorOf(plan.graph, kernel.ops.front());
  const auto& array = plan.graph.arrays[plan.graph.versions[op.result].array];
  const int words = RegistersOf(array.type);
  std::set<BufferId> buffers;
  for (const graph::Access* access : FindEvaluated(plan.graph, op).point) {
    if (plan.buffer_of[access->version.index].Valid()) {
      buffers.insert(plan.buffer_of[access->version.index]);
    }
  }
  for (graph::VersionId version : StoredVersions(plan, kernel)) {
    buffers.insert(plan.buffer_of[version.index]);
  }
  const std::int64_t flops = graph::FlopsPerPoint(plan.graph, op);
  const int in_flight = words * static_cast<int>(std::min(flops / 2, kMostInFlight));
  int registers = kAddresses + in_flight + 2 * static_cast<int>(buffers.size());
  for (const Window& window : kernel.windows) {
    registers += words * static_cast<int>(window.last - window.first + 1);
  }
  if (!kernel.matrix) return registers;
  // The sums, and what they are multiplied with.
  int sums = 1, operands = 0;
  for (const int points : kernel.matrix->points) {
    sums *= points;
    operands += points;
  }
  return registers + words * (sums + operands);
}

/// Arrays that a thread of the tile moves along.
int CountPointers(const graph::Graph& graph, const Tile& tile) {
  std::set<graph::VersionId> read;
  for (const TileVersion& version : tile.versions) {
    if (version.loaded) read.insert(version.version);
  }
  for (const TileOperator& op : tile.ops) {
    const auto& code = std::get<Operator>(graph.nodes[op.node]);
    for (const graph::Access* access : FindEvaluated(graph, code).point) {
      if (!access->indices.empty() && tile.Find(access->version) < 0) read.insert(access->version);
    }
  }
  return static_cast<int>(read.size() + tile.stores.size());
}

/// Points whose code is in a branch of its own: of operators that read memory, so that only some of
/// the threads may.
int CountBranches(const graph::Graph& graph, const Tile& tile) {
  int branches = 0;
  for (std::size_t op = 0; op < tile.ops.size(); ++op) {
    const int result = tile.Find(std::get<Operator>(graph.nodes[tile.ops[op].node]).result);
    const bool around = !(tile.versions[static_cast<std::size_t>(result)].halo == Halo{});
    if (around && ReadsMemory(graph, tile, static_cast<int>(op))) branches += tile.Points();
  }
  return branches;
}

/// Cycles that divisions and roots of a step, or of a point without a tile, take one after the
/// other: each ends in a branch to code for special values, across which the compiler moves
/// nothing.
double DivisionCycles(const Plan& plan, const Kernel& kernel) {
  constexpr double kDouble = 100, kFloat = 40;  // from their dependent instructions
  double cycles = 0;
  for (const graph::NodeId node : kernel.ops) {
    const Operator& op = graph::OperatorOf(plan.graph, node);
    const auto& array = plan.graph.arrays[plan.graph.versions[op.result].array];
    cycles += (array.type == ScalarType::Double ? kDouble : kFloat) *
              static_cast<double>(DivisionsPerPoint(plan.graph, op));
  }
  return kernel.tile ? cycles * kernel.tile->Points() : cycles;
}

/// Some operator of a tile in three dimensions reads much of one array.
bool HasLongSums(const graph::Graph& graph, const Kernel& kernel) {
  if (kernel.tile->dimensions != 3) return false;
  constexpr std::size_t kLong = 64;
  return std::any_of(kernel.ops.begin(), kernel.ops.end(), [&](graph::NodeId node) {
    std::map<graph::VersionId, std::size_t> reads;
    for (const graph::ExprId id : graph::Accesses(graph, graph::OperatorOf(graph, node))) {
      const auto& access = std::get<graph::Access>(graph.exprs[id].node);
      if (++reads[access.version] > kLong) return true;
    }
    return false;
  });
}

}  // namespace

int EstimateRegisters(const Plan& plan, const Kernel& kernel) {
  return kernel.tile ? EstimateRegisters(plan.graph, *kernel.tile) : PointRegisters(plan, kernel);
}

/// What is live in a steady step, and what the code around it takes besides: fitted to what nvcc 13
/// took for 250 kernels of suites A and C. The estimates came within twenty in nine of ten, and
/// within forty in all but three.
int EstimateRegisters(const graph::Graph& graph, const Tile& tile) {
  constexpr int kStream = 24;  ///< loop, planes' bounds, moving pointers
  constexpr int kVolume = 11;  ///< coordinates and strides of three dimensions
  constexpr int kMoved = 10;   ///< of so many live registers one is there twice while it moves
  constexpr int kAhead = 16;   ///< of so many operands one is loaded ahead of its use
  constexpr int kPointer = 4;  ///< into an array that is loaded, stored or read at each point
  constexpr int kElement = 5;  ///< of a rim: its value, and where it is
  constexpr int kBranch = 12;  ///< tests, and values that wait for the other branch
  const LiveRegisters live = FindLiveRegisters(graph, tile);
  const int held = live.planes + live.sums;
  int registers = held + held / kMoved + live.fetched * tile.Points() / kAhead;
  if (tile.stream) registers += kStream;
  if (tile.dimensions == 3) registers += kVolume;
  registers += kPointer * CountPointers(graph, tile) + kBranch * CountBranches(graph, tile);
  for (const TileVersion& version : tile.versions) {
    if (version.slots > 1) registers += version.slots;
  }
  for (const TileOperator& op : tile.ops) registers += op.background ? 1 : 0;
  for (const Rim& rim : tile.rims) registers += kElement * RimLoads(tile, rim);
  return registers;
}

int MostLikelyRegisters(int estimate) {
  constexpr int kSmall = 64;  // below, ptxas finds something to leave out
  constexpr int kPart = 4;
  return estimate + std::max(estimate - kSmall, 0) / kPart;
}

int MostRegisters(const machine::Gpu& device, int threads, int register_limit) {
  const int warps = (std::max(threads, 1) + device.warp - 1) / device.warp;
  const int share = device.registers_per_sm / (warps * device.warp) / 8 * 8;
  const int most = std::min(device.registers_per_thread, share);
  return register_limit > 0 ? std::min(most, register_limit) : most;
}

PlanWork FindWork(const Plan& plan) {
  PlanWork all;
  for (const Kernel& kernel : plan.kernels) {
    ThreadWork work;
    work.sums = FindSums(plan.graph, kernel);
    work.registers = EstimateRegisters(plan, kernel);
    if (kernel.tile) {
      work.levels = CriticalPath(plan, *kernel.tile);
      work.uses_arriving = UsesArriving(plan.graph, *kernel.tile);
      work.publishes_arriving = PublishesArriving(*kernel.tile);
      work.loads_in_order = LoadsInOrder(plan.graph, *kernel.tile);
      work.long_sums = HasLongSums(plan.graph, kernel);
    } else {
      work.levels = CriticalPath(plan.graph, graph::OperatorOf(plan.graph, kernel.ops.front()));
    }
    work.levels = std::max(work.levels, DivisionCycles(plan, kernel));
    all.push_back(std::move(work));
  }
  return all;
}

}  // namespace stencilgen::plan
