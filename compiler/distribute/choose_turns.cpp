#include "distribute/choose_turns.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "distribute/place_exchanges.h"
#include "distribute/scaling.h"
#include "distribute/segments.h"
#include "graph/nodes.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

// A core of today: what it moves between memory and caches where tiles end, and what an element
// takes that is read or written in caches. Measured on two cores of an AMD EPYC of family 25, model
// 17, one rank each, 7-point stencil of 128 x 256 x 256 doubles in tiles of several turns: 0.56 ns
// a point and turn, and for each time that the tiles end 0.7 (after 24 turns) to 1.2 ns a point.
constexpr double kMemoryBytesPerSecond = 8e9;
constexpr double kSecondsPerAccess = 0.07e-9;
constexpr std::int64_t kUsualExtent = 1000;

const ChunksStep* FirstChunks(const Steps& steps) {
  for (const Step& step : steps) {
    if (const auto* chunks = std::get_if<ChunksStep>(&step.what)) return chunks;
    if (const auto* repeat = std::get_if<RepeatStep>(&step.what)) {
      if (const ChunksStep* inner = FirstChunks(repeat->body)) return inner;
    }
  }
  return nullptr;
}

ParameterValues UsualSizes(const Graph& graph) {
  ParameterValues values;
  for (const Parameter& parameter : graph.parameters) {
    values.push_back(parameter.fixed.value_or(parameter.default_value.value_or(kUsualExtent)));
  }
  return values;
}

/// The points of a rank with neighbours on all sides that there are.
struct Part {
  std::vector<double> points;  ///< along each axis
  std::vector<double> sides;   ///< with neighbours, of two
};

/// Bytes that a segment reads of a point's elements, and writes.
double BytesAtPoint(const Distributed& program, std::size_t segment) {
  const SegmentSource& source = program.sources[segment];
  double bytes = 0;
  for (const auto* arrays : {&source.inputs, &source.outputs}) {
    for (const auto& [version, array] : *arrays) {
      if (!program.grid.Shares(array)) continue;
      double elements = 1;
      for (std::size_t a = 0; a < program.grid.axes.size(); ++a) {
        elements *= static_cast<double>(program.grid.ScaleAlong(array, a));
      }
      bytes += elements * ElementBytes(program.graph.arrays[array]);
    }
  }
  return bytes;
}

/// Empty where there are too many ranks.
Part PartOf(const std::vector<ranks::Axis>& axes, const std::vector<int>& shape, bool weak) {
  Part part;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const long long ranks = weak ? 1 : shape[a];
    part.points.push_back(static_cast<double>((axes[a].points + ranks - 1) / ranks));
    const bool both = shape[a] > 2 || axes[a].periodic;
    part.sides.push_back(both ? 1 : axes[a].HasNeighbours(shape[a]) ? 0.5 : 0);
  }
  return part;
}

/// Seconds of all turns that a single machine would not take.
class Cost {
 public:
  Cost(const Distributed& program, const std::optional<RanksSetting>& setting)
      : program_(program), weak_(setting && setting->weak) {
    setting_ = setting.value_or(RanksSetting{UsualSizes(program.graph)});
    if (setting) {
      room_ = 1;
      return;
    }
    setting_.wanted.assign(program.grid.axes.size(), 2);
    for (std::size_t a = 0; a < program.grid.axes.size(); ++a) setting_.ranks *= 2;
    setting_.network.bytes_per_second = 10e9;
  }

  /// Infinite where ranks have too few points.
  double Of(std::int64_t most) const {
    Distributed program = program_;
    program.together = std::max<std::int64_t>(most, 2);
    CutIntoSegments(program);
    PlaceExchanges(program);
    const ChunksStep* chunks = FirstChunks(program.steps);
    if (chunks == nullptr) return 0;
    const std::vector<ranks::Axis> axes = AxesOf(program, setting_.sizes);
    const Part part = PartOf(axes, ShapeOf(axes, setting_), weak_);
    if (part.points.empty()) return std::numeric_limits<double>::infinity();
    const std::int64_t all = TurnsOf(program, setting_.sizes);
    const std::int64_t together = ranks::EvenTurns(all, most);
    const auto exchanges = static_cast<double>((all + together - 1) / together);
    return exchanges * OfChunk(program, *chunks, part, together);
  }
  std::int64_t turns() const {
    Distributed program = program_;
    program.together = 2;
    CutIntoSegments(program);
    return TurnsOf(program, setting_.sizes);
  }

 private:
  double OfChunk(const Distributed& program, const ChunksStep& chunks, const Part& part,
                 std::int64_t together) const {
    const Exchange& exchange = chunks.before[static_cast<std::size_t>(together - 1)];
    double own = 1;
    for (const double count : part.points) own *= count;
    // Tiles end with the turns that run together: one in two goes through memory once more.
    double seconds = own * BytesAtPoint(program, chunks.segment) / 2 / kMemoryBytesPerSecond;
    const double accesses = AccessesAtPoint(program, chunks.segment);
    const Reaches depths = PointsOf(program, exchange);
    for (std::size_t a = 0; a < part.points.size(); ++a) {
      const double face = own / part.points[a];
      const double depth = static_cast<double>(depths[a].lo + depths[a].hi) * part.sides[a];
      if (depth * room_ > part.points[a]) return std::numeric_limits<double>::infinity();
      for (const FieldDepth& field : exchange) {
        const Reach reach = field.depth[a];
        double elements = static_cast<double>(reach.lo + reach.hi) * part.sides[a] * face;
        for (std::size_t b = 0; b < part.points.size(); ++b) {
          if (b != a) elements *= static_cast<double>(program.grid.ScaleAlong(field.array, b));
        }
        seconds += elements * ElementBytes(program.graph.arrays[field.array]) /
                   setting_.network.bytes_per_second;
      }
      if (depth > 0) seconds += 2 * part.sides[a] * setting_.network.latency;
      // The last turn computes no ghosts, the first one all but those of its own reach.
      seconds +=
          accesses * depth * face * kSecondsPerAccess * static_cast<double>(together - 1) / 2;
    }
    return seconds;
  }

  const Distributed& program_;
  RanksSetting setting_;
  bool weak_ = false;
  double room_ = 8;  ///< ghosts may be such a part of a rank's points; of a known run all of them
};

}  // namespace

std::int64_t ChooseTurns(const Distributed& program, const std::optional<RanksSetting>& setting) {
  const Cost cost(program, setting);
  std::set<std::int64_t> tried = {2, 4, 6, 8, 12, 16, 24, 32};
  if (setting) {
    // Of code that other sizes and numbers of ranks run too, many turns would ask for too much.
    constexpr std::int64_t kMost = 64;
    const std::int64_t all = cost.turns();
    for (std::int64_t exchanges = 1; exchanges <= 8; ++exchanges) {
      const std::int64_t most = (all + exchanges - 1) / exchanges;
      const std::int64_t even = exchanges > 1 ? most + most % 2 : most;
      if (even > 1 && even <= kMost) tried.insert(even);
    }
  }
  std::int64_t best = 1;
  double least = cost.Of(1);
  for (const std::int64_t together : tried) {
    const double seconds = cost.Of(together);
    if (seconds >= least) continue;
    best = together;
    least = seconds;
  }
  return best;
}

}  // namespace stencilgen::distribute
