#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "plan/barriers.h"
#include "plan/traffic_parts.h"

namespace stencilgen::plan {
namespace {

using graph::Access;
using graph::Graph;
using graph::Operator;
using graph::ParameterValues;
using graph::Range;
using graph::VersionId;
using Point = std::array<int, 3>;

/// Conditions on a coordinate: in `range`, and where `near` is set at most that far from what the
/// block stores.
struct Condition {
  std::vector<Range> range;       ///< by dimension
  const Halo* near = nullptr;     ///< null: no such condition
  bool near_along_stream = true;  ///< `near` holds for planes too
};

class TileCounter {
 public:
  TileCounter(const Plan& plan, const Kernel& kernel, const ParameterValues& parameters,
              Traffic& traffic)
      : graph_(plan.graph),
        tile_(*kernel.tile),
        parameters_(parameters),
        traffic_(traffic),
        points_(PointsOf(tile_)) {}

  void Run() {
    if (!SetGrid()) return;
    for (const TileStep& step : tile_.steps) {
      const auto index = static_cast<std::size_t>(step.index);
      switch (step.kind) {
        case TileStep::Kind::Load:
          CountLoad(tile_.versions[index]);
          break;
        case TileStep::Kind::Arrive:
          break;
        case TileStep::Kind::Publish:
          AddShared(traffic_.shared_stores, tile_.versions[index].version, Everyone());
          break;
        case TileStep::Kind::Barrier:
          traffic_.barriers += tile_blocks_ * traffic_.steps;
          break;
        case TileStep::Kind::Compute:
          CountCompute(index);
          break;
        case TileStep::Kind::Store:
          CountStore(tile_.stores[index]);
          break;
      }
    }
    for (const auto& [version, direct] : direct_) AddDirectBytes(version, direct);
  }

 private:
  struct Direct {
    std::int64_t loads = 0;
    std::int64_t most_loads = 0;  ///< of one access
    std::vector<Range> ranges;    ///< of the array
  };

  const Operator& OperatorAt(std::size_t op) const {
    return std::get<Operator>(graph_.nodes[tile_.ops[op].node]);
  }
  std::vector<Range> DomainOf(const Operator& op) const {
    std::vector<Range> ranges;
    const bool runs = GuardsHold(op, parameters_);
    for (const graph::Interval& interval : op.domain.intervals) {
      ranges.push_back(runs ? graph::Evaluate(interval, parameters_) : Range{});
    }
    return ranges;
  }
  std::vector<Range> ArrayOf(VersionId version) const {
    std::vector<Range> ranges;
    for (const auto& extent : graph_.arrays[graph_.versions[version].array].extents) {
      ranges.push_back({0, graph::Evaluate(extent, parameters_) - 1});
    }
    return ranges;
  }
  std::vector<Range> StoreRange(const TileStore& store) const {
    if (store.whole) return ArrayOf(store.version);
    return DomainOf(std::get<Operator>(graph_.nodes[graph_.versions[store.version].node]));
  }

  /// Where the grid's blocks are and how they walk. False where there are none.
  bool SetGrid() {
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      Range hull;
      for (const TileStore& store : tile_.stores) {
        const Range range = StoreRange(store)[d];
        if (range.size() == 0) continue;
        hull = hull.size() == 0 ? range
                                : Range{std::min(hull.lo, range.lo), std::max(hull.hi, range.hi)};
      }
      if (hull.size() == 0) return false;
      if (d + 1 == tile_.dimensions) hull.lo = tile_.FirstTile(hull.lo);
      grid_.push_back(hull);
    }
    if (tile_.stream) {
      before_ = tile_.StepsBefore();
      after_ = tile_.StepsAfter();
    }
    traffic_.threads = tile_.Threads();
    traffic_.chunks = 1;
    traffic_.steps = 1;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream == d) {
        traffic_.chunks = graph::CeilDiv(grid_[d].size(), Chunk());
        traffic_.steps = grid_[d].size() + traffic_.chunks * (before_ + after_);
      } else {
        tile_blocks_ *= graph::CeilDiv(grid_[d].size(), tile_.Stored(d));
      }
    }
    traffic_.blocks = tile_blocks_ * traffic_.chunks;
    return true;
  }
  std::int64_t Chunk() const {
    return tile_.chunk == 0 ? grid_[*tile_.stream].size() : tile_.chunk;
  }

  /// Threads' points along a dimension that fulfil the condition, over all blocks. `part`: only the
  /// points with that place in their thread; -1: all.
  std::int64_t Along(std::size_t d, const Condition& condition, int part) const {
    const std::int64_t stored = tile_.Stored(d);
    const std::int64_t points = std::int64_t{tile_.threads[d]} * tile_.points[d];
    const std::int64_t first = grid_[d].lo - tile_.halo.lo[d];
    const auto count = [&](std::int64_t block) {
      const std::int64_t start = grid_[d].lo + block * stored;
      Range range = Cut({start - tile_.halo.lo[d], start - tile_.halo.lo[d] + points - 1},
                        condition.range[d]);
      if (condition.near != nullptr) {
        range =
            Cut(range, {start - condition.near->lo[d], start + stored - 1 + condition.near->hi[d]});
      }
      return Parts(range, start - tile_.halo.lo[d], d, part);
    };
    const Blocks blocks = {graph::CeilDiv(grid_[d].size(), stored), first, stored, points};
    return SumOver(blocks, condition.range[d], count);
  }
  static Range Cut(const Range& a, const Range& b) {
    return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
  }
  /// Integers x of the range with (x - first) mod (points of a thread) = part; all where part < 0.
  std::int64_t Parts(const Range& range, std::int64_t first, std::size_t d, int part) const {
    const std::int64_t points = tile_.points[d];
    if (part < 0 || points == 1 || range.size() == 0) return range.size();
    const auto up_to = [&](std::int64_t x) { return graph::FloorDiv(x - first - part, points); };
    return up_to(range.hi) - up_to(range.lo - 1);
  }

  /// `count` pieces of `size` integers each, `step` apart.
  struct Blocks {
    std::int64_t count = 0, first = 0, step = 1, size = 1;
  };
  /// The sum of count(b) over the blocks. Blocks outside the range count nothing, and those that
  /// lie in it all the same: a grid may have a great many.
  template <typename Count>
  static std::int64_t SumOver(const Blocks& blocks, const Range& range, Count count) {
    const auto at_least = [&](std::int64_t x) {  // the first block that begins there or later
      return graph::CeilDiv(x - blocks.first, blocks.step);
    };
    const std::int64_t begin = std::max<std::int64_t>(at_least(range.lo - blocks.size + 1), 0);
    const std::int64_t end = std::min(at_least(range.hi + 1), blocks.count);
    const std::int64_t inside = std::max(at_least(range.lo), begin);
    // The last block may be cut off by something else than the range.
    const std::int64_t beyond =
        std::min(at_least(range.hi - blocks.size + 2), std::min(end, blocks.count - 1));
    std::int64_t sum = 0;
    for (std::int64_t b = begin; b < end; ++b) {
      if (b == inside && inside < beyond) {
        sum += (beyond - inside) * count(b);
        b = beyond - 1;
      } else {
        sum += count(b);
      }
    }
    return sum;
  }

  /// Planes of a version with that lag that fulfil the condition, over all chunks.
  std::int64_t AlongStream(const Condition& condition, std::int64_t lag) const {
    const std::size_t d = *tile_.stream;
    const auto count = [&](std::int64_t block) {
      const std::int64_t first = grid_[d].lo + block * Chunk();
      const std::int64_t last = std::min(first + Chunk() - 1, grid_[d].hi);
      Range range = Cut({first - before_ - lag, last + after_ - lag}, condition.range[d]);
      if (condition.near != nullptr && condition.near_along_stream) {
        range = Cut(range, {first - condition.near->lo[d], last + condition.near->hi[d]});
      }
      return range.size();
    };
    const Blocks blocks = {traffic_.chunks, grid_[d].lo - before_ - lag, Chunk(),
                           Chunk() + before_ + after_};
    return SumOver(blocks, condition.range[d], count);
  }

  /// `point`: one of a thread's points; null for all.
  std::int64_t CountPoints(const Condition& condition, std::int64_t lag,
                           const Point* point = nullptr) const {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      count *= tile_.stream == d ? AlongStream(condition, lag)
                                 : Along(d, condition, point == nullptr ? -1 : (*point)[d]);
    }
    return count;
  }
  /// All threads' points in all steps.
  std::int64_t Everyone() const {
    return tile_blocks_ * traffic_.steps * tile_.Threads() * tile_.Points();
  }

  void AddShared(std::int64_t& counter, VersionId version, std::int64_t elements) {
    counter += elements;
    traffic_.shared_bytes += elements * ElementBytes(graph_, version);
  }
  void AddLoads(VersionId version, std::int64_t elements) {
    if (InConstantMemory(graph_, version)) return;
    traffic_.loads += elements;
    traffic_.load_bytes += elements * ElementBytes(graph_, version);
  }

  void CountLoad(const TileVersion& input) {
    const Condition condition = {ArrayOf(input.version), &input.halo};
    const std::int64_t elements = CountPoints(condition, input.lag);
    AddLoads(input.version, elements);
    if (input.async) AddShared(traffic_.shared_stores, input.version, elements);
    const std::int64_t bytes = ElementBytes(graph_, input.version);
    double unique = 1;
    double from_memory = 1;
    double rows = 1;
    double row = 0;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      const auto requested = static_cast<double>(
          tile_.stream == d ? AlongStream(condition, input.lag) : Along(d, condition, -1));
      const Range all = {std::max(condition.range[d].lo, grid_[d].lo - input.halo.lo[d]),
                         std::min(condition.range[d].hi, grid_[d].hi + input.halo.hi[d])};
      const auto once = static_cast<double>(all.size());
      unique *= once;
      from_memory *= tile_.stream == d ? requested : once;
      if (d + 1 < tile_.dimensions) {
        rows *= requested;
      } else {
        const auto blocks = static_cast<double>(graph::CeilDiv(grid_[d].size(), tile_.Stored(d)));
        rows *= blocks;
        row = requested / blocks;
      }
    }
    traffic_.cache_bytes += SectorBytes(rows, row, bytes);
    traffic_.memory_bytes += from_memory * static_cast<double>(bytes);
    traffic_.compulsory_bytes += unique * static_cast<double>(bytes);
  }

  /// All threads compute all their points, also those that nobody needs, unless that reads memory.
  void CountCompute(std::size_t index) {
    const Operator& op = OperatorAt(index);
    const TileVersion& result = tile_.versions[static_cast<std::size_t>(tile_.Find(op.result))];
    EvaluatedAccesses evaluated = FindEvaluated(graph_, op);
    std::vector<const Access*> accesses = evaluated.uniform;
    accesses.insert(accesses.end(), evaluated.point.begin(), evaluated.point.end());
    const std::int64_t flops = graph::FlopsPerPoint(graph_, op);
    const bool reads_memory = ReadsMemory(graph_, tile_, static_cast<int>(index));
    const Condition condition = {DomainOf(op), reads_memory ? &result.halo : nullptr, false};
    for (const Point& point : points_) {
      const std::int64_t computed =
          reads_memory ? CountPoints(condition, result.lag, &point) : Everyone() / tile_.Points();
      traffic_.flops += computed * flops;
      for (const Access* access : accesses) {
        const auto read = FindRead(graph_, tile_, static_cast<int>(index), *access);
        if (read && PathOf(tile_, *read, point) != ReadPath::Memory) {
          CountHeld(*read, point, computed);
        } else {
          CountDirect(op, *access, computed);
        }
      }
      CountBackground(index, point, condition);
    }
    CountShuffles(index);
  }

  void CountHeld(const TileRead& read, const Point& point, std::int64_t elements) {
    if (PathOf(tile_, read, point) != ReadPath::Shared) return;
    AddShared(traffic_.shared_loads, VersionOf(read), elements);
  }
  VersionId VersionOf(const TileRead& read) const {
    return tile_.versions[static_cast<std::size_t>(read.version)].version;
  }

  void CountDirect(const Operator& op, const Access& access, std::int64_t elements) {
    if (InConstantMemory(graph_, access.version)) return;
    AddLoads(access.version, elements);
    traffic_.direct_bytes += elements * ElementBytes(graph_, access.version);
    AddDirect(access.version, ReadRanges(graph_, op, access, parameters_), elements);
  }
  void AddDirect(VersionId version, const std::vector<Range>& ranges, std::int64_t elements) {
    const auto [at, is_new] = direct_.try_emplace(version, Direct{0, 0, ranges});
    Direct& direct = at->second;
    for (std::size_t d = 0; d < ranges.size() && !is_new; ++d) {
      direct.ranges[d] = {std::min(direct.ranges[d].lo, ranges[d].lo),
                          std::max(direct.ranges[d].hi, ranges[d].hi)};
    }
    direct.loads += elements;
    direct.most_loads = std::max(direct.most_loads, elements);
  }

  /// Neighbours that a thread's own block has just read come from the first-level cache.
  void AddDirectBytes(VersionId version, const Direct& direct) {
    constexpr double kMissed = 0.1;  // of the loads that could hit
    const auto bytes = static_cast<double>(ElementBytes(graph_, version));
    double unique = 1;
    for (const Range& range : direct.ranges) unique *= static_cast<double>(range.size());
    const auto most = static_cast<double>(direct.most_loads) * tile_.Points();
    const auto other = std::max(0.0, static_cast<double>(direct.loads) - most);
    traffic_.cache_bytes += (most + kMissed * other) * bytes;
    traffic_.memory_bytes += unique * bytes;
    traffic_.compulsory_bytes += unique * bytes;
  }

  /// Points that the operator does not compute take their background's value: a register, or an
  /// element of memory.
  void CountBackground(std::size_t index, const Point& point, const Condition& computes) {
    if (!tile_.ops[index].background) return;
    if (FindBackground(graph_, tile_, static_cast<int>(index))) return;
    const Operator& op = OperatorAt(index);
    const TileVersion& result = tile_.versions[static_cast<std::size_t>(tile_.Find(op.result))];
    const Condition inside = {ArrayOf(op.background), &result.halo, false};
    Condition both = inside;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      both.range[d] = Cut(both.range[d], computes.range[d]);
    }
    const std::int64_t elements =
        CountPoints(inside, result.lag, &point) - CountPoints(both, result.lag, &point);
    const std::int64_t bytes = elements * ElementBytes(graph_, op.background);
    AddLoads(op.background, elements);
    traffic_.direct_bytes += bytes;
    traffic_.cache_bytes += static_cast<double>(bytes);
    traffic_.memory_bytes += static_cast<double>(bytes);
  }

  /// Each value that another lane has is fetched once by every thread.
  void CountShuffles(std::size_t index) {
    if (!tile_.shuffle) return;
    std::map<std::array<std::int64_t, 4>, VersionId> fetched;
    const std::size_t x = tile_.dimensions - 1;
    for (const TileRead& read : FindReads(graph_, tile_, static_cast<int>(index))) {
      for (const Point& point : points_) {
        if (PathOf(tile_, read, point) != ReadPath::Shuffle) continue;
        std::int64_t place = 0;
        for (std::size_t d = 0; d + 1 < tile_.dimensions; ++d) {
          place = place * tile_.points[d] + point[d] + read.offset[d];
        }
        fetched.insert(
            {{read.version, read.age, place, point[x] + read.offset[x]}, VersionOf(read)});
      }
    }
    for (const auto& [key, version] : fetched) {
      const std::int64_t elements = Everyone() / tile_.Points();
      traffic_.shuffles += elements;
      traffic_.shuffle_bytes += elements * ElementBytes(graph_, version);
    }
  }

  void CountStore(const TileStore& store) {
    static constexpr Halo kNone = {};
    const auto at = static_cast<std::size_t>(tile_.Find(store.version));
    const Condition condition = {StoreRange(store), &kNone};
    const std::int64_t elements = CountPoints(condition, tile_.versions[at].lag);
    const std::int64_t bytes = elements * ElementBytes(graph_, store.version);
    traffic_.stores += elements;
    traffic_.store_bytes += bytes;
    traffic_.points = std::max(traffic_.points, elements);
    traffic_.cache_bytes += static_cast<double>(bytes);
    traffic_.memory_bytes += static_cast<double>(bytes);
    traffic_.compulsory_bytes += static_cast<double>(bytes);
  }

  const Graph& graph_;
  const Tile& tile_;
  const ParameterValues& parameters_;
  Traffic& traffic_;
  const std::vector<Point> points_;
  std::vector<Range> grid_;              ///< what is stored, by dimension
  std::int64_t before_ = 0, after_ = 0;  ///< steps around a chunk
  std::int64_t tile_blocks_ = 1;         ///< of one chunk
  std::map<VersionId, Direct> direct_;
};

}  // namespace

void CountTile(const Plan& plan, const Kernel& kernel, const ParameterValues& parameters,
               Traffic& traffic) {
  TileCounter(plan, kernel, parameters, traffic).Run();
}

}  // namespace stencilgen::plan
