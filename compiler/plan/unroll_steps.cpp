#include "plan/unroll_steps.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "graph/nodes.h"

namespace stencilgen::plan {
namespace {

/// How many variables values of each kind go through, one a step.
std::vector<int> FindRings(const Tile& tile) {
  std::vector<int> rings;
  for (const TileVersion& version : tile.versions) {
    rings.push_back(
        static_cast<int>(std::count_if(version.planes.begin(), version.planes.end(),
                                       [](const PlaneStorage& plane) { return plane.registers; })));
    rings.push_back(version.slots);
  }
  for (const TileOperator& op : tile.ops) {
    if (op.scatter) rings.push_back(static_cast<int>(op.scatter->parts.size()));
  }
  return rings;
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
  constexpr std::int64_t kMostCode = 4096;  // instructions: about what caches of them hold
  int period = 1;
  int longest = 1;
  for (const int variables : FindRings(tile)) {
    if (variables < 2) continue;
    period = std::lcm(period, variables);
    longest = std::max(longest, variables);
  }
  if (period > kMostSteps) period = longest;
  const bool fits = period <= kMostSteps && StepCode(graph, tile) * period <= kMostCode;
  return fits ? period : 1;
}

}  // namespace stencilgen::plan
