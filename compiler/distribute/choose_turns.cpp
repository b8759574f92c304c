#include "distribute/choose_turns.h"

#include <algorithm>
#include <limits>
#include <set>

#include "distribute/distribute.h"
#include "distribute/place_exchanges.h"
#include "distribute/segments.h"
#include "graph/nodes.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

// A network of today, and a core that computes a point a nanosecond.
constexpr double kLatency = 2e-6;
constexpr double kBytesPerSecond = 10e9;
constexpr double kSecondsPerPoint = 1e-9;
constexpr double kUsualExtent = 1000;

const ChunksStep* FirstChunks(const Steps& steps) {
  for (const Step& step : steps) {
    if (const auto* chunks = std::get_if<ChunksStep>(&step.what)) return chunks;
    if (const auto* repeat = std::get_if<RepeatStep>(&step.what)) {
      if (const ChunksStep* inner = FirstChunks(repeat->body)) return inner;
    }
  }
  return nullptr;
}

/// Points of a rank along each axis.
std::vector<double> LocalPoints(const Graph& graph, const Grid& grid) {
  ParameterValues values;
  for (const Parameter& parameter : graph.parameters) {
    values.push_back(parameter.fixed.value_or(
        parameter.default_value.value_or(static_cast<std::int64_t>(kUsualExtent))));
  }
  std::vector<double> points;
  for (const GridAxis& axis : grid.axes) {
    points.push_back(std::max(1.0, static_cast<double>(Evaluate(axis.extent, values)) / 2));
  }
  return points;
}

/// Seconds a turn that a single machine would not take. Infinite where ranks have too few points.
double Cost(Distributed program, std::int64_t together) {
  const Graph& graph = program.graph;
  const Grid& grid = program.grid;
  program.together = std::max<std::int64_t>(together, 2);
  CutIntoSegments(program);
  PlaceExchanges(program);
  const ChunksStep* chunks = FirstChunks(program.steps);
  if (chunks == nullptr) return 0;
  const std::vector<double> points = LocalPoints(graph, grid);
  const Exchange& exchange = chunks->before[static_cast<std::size_t>(together - 1)];
  // What a rank's own points move through memory, turns that run in tiles together move once.
  double own = 1;
  for (const double count : points) own *= count;
  double seconds = 2 * own * sizeof(double) / kBytesPerSecond;
  const auto operators = static_cast<double>(program.sources[chunks->segment].nodes.size());
  for (std::size_t a = 0; a < points.size(); ++a) {
    double face = 1;
    for (std::size_t b = 0; b < points.size(); ++b) face *= b == a ? 1 : points[b];
    double depth = 0;
    for (const FieldDepth& field : exchange) {
      const Reach reach = field.depth[a];
      const auto both = static_cast<double>(reach.lo + reach.hi);
      depth = std::max(depth, both);
      // Ghosts may be a quarter of a rank's points.
      if (both * 4 > points[a]) return std::numeric_limits<double>::infinity();
      seconds += both * face * SizeInBytes(graph.arrays[field.array].type) / kBytesPerSecond;
    }
    if (depth > 0) seconds += 2 * kLatency;
    // The last turn computes no ghosts, the first one all but those of its own reach.
    seconds += operators * depth * face * kSecondsPerPoint * static_cast<double>(together - 1) / 2;
  }
  return seconds / static_cast<double>(together);
}

}  // namespace

std::int64_t ChooseTurns(const Distributed& program) {
  std::int64_t best = 1;
  double least = Cost(program, 1);
  for (const std::int64_t together : {2, 4, 6, 8, 12, 16, 24, 32}) {
    const double cost = Cost(program, together);
    if (cost >= least) continue;
    best = together;
    least = cost;
  }
  return best;
}

}  // namespace stencilgen::distribute
