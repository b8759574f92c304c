#include "plan/unroll_steps.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "graph/nodes.h"

namespace stencilgen::plan {
namespace {

/// How many variables values of each kind go through, one a step: registers, or where none do,
/// pointers to shared memory, which a thread has few of beside its planes.
std::vector<int> FindRings(const Tile& tile) {
  std::vector<int> rings, pointers;
  const auto add = [](std::vector<int>& all, std::size_t variables) {
    if (variables > 1) all.push_back(static_cast<int>(variables));
  };
  for (const TileVersion& version : tile.versions) {
    const auto planes = std::count_if(version.planes.begin(), version.planes.end(),
                                      [](const PlaneStorage& plane) { return plane.registers; });
    add(rings, static_cast<std::size_t>(planes));
    add(pointers, static_cast<std::size_t>(version.slots));
  }
  for (const TileOperator& op : tile.ops) {
    if (op.scatter) add(rings, op.scatter->parts.size());
  }
  return rings.empty() ? pointers : rings;
}

/// About how many instructions a step has.
std::int64_t StepCode(const graph::Graph& graph, const Tile& tile) {
  constexpr std::int64_t kAround = 4;  // loads, stores and tests of an operator's point
  std::int64_t flops = 0;
  for (const TileOperator& op : tile.ops) {
    flops += graph::FlopsPerPoint(graph, graph::OperatorOf(graph, op.node)) + kAround;
  }
  return flops * tile.Points();
}

}  // namespace

int UnrollOfSteps(const graph::Graph& graph, const Tile& tile) {
  constexpr int kMostSteps = 8;
  // Operations, many of which are halves of multiply-adds: caches hold about as many instructions.
  constexpr std::int64_t kMostCode = 4800;
  int period = 1;
  int longest = 1;
  for (const int variables : FindRings(tile)) {
    period = std::lcm(period, variables);
    longest = std::max(longest, variables);
  }
  if (period > kMostSteps) period = longest;
  const bool fits = period <= kMostSteps && StepCode(graph, tile) * period <= kMostCode;
  return fits ? period : 1;
}

}  // namespace stencilgen::plan
