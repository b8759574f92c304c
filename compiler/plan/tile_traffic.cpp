#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "plan/barriers.h"
#include "plan/published.h"
#include "plan/tile_blocks.h"
#include "plan/tile_body.h"
#include "plan/time_pipeline.h"
#include "plan/traffic_parts.h"

namespace stencilgen::plan {
namespace {

using graph::Access;
using graph::Graph;
using graph::Operator;
using graph::ParameterValues;
using graph::Range;
using graph::VersionId;
using Condition = TileCondition;
using Point = std::array<int, 3>;
using Offset = std::array<std::int64_t, 3>;

class TileCounter {
 public:
  TileCounter(const Plan& plan, const Kernel& kernel, const ParameterValues& parameters,
              const TileSums& sums, Traffic& traffic)
      : graph_(plan.graph),
        tile_(*kernel.tile),
        parameters_(parameters),
        traffic_(traffic),
        blocks_(graph_, tile_, parameters),
        points_(PointsOf(tile_)),
        published_(FindPublished(graph_, tile_)),
        sums_(sums) {}

  void Run() {
    traffic_.blocks = blocks_.blocks();
    if (traffic_.blocks == 0) return;
    traffic_.threads = tile_.Threads();
    traffic_.chunks = blocks_.chunks();
    traffic_.steps = blocks_.steps();
    for (const TileStep& step : tile_.steps) {
      const auto index = static_cast<std::size_t>(step.index);
      switch (step.kind) {
        case TileStep::Kind::Load:
          CountLoad(tile_.versions[index], tile_.Ahead(step.index));
          break;
        case TileStep::Kind::LoadRim: {
          const TileVersion& version = tile_.versions[index];
          CountRim(version, RimOf(version).halo, version.lag + RimAge(version));
          break;
        }
        case TileStep::Kind::Arrive:
          break;
        case TileStep::Kind::Publish:
          known_.clear();
          CountPublish(step.index);
          break;
        case TileStep::Kind::Barrier:
          known_.clear();
          traffic_.barriers += blocks_.tiles() * traffic_.steps;
          break;
        case TileStep::Kind::Compute:
          CountCompute(index);
          break;
        case TileStep::Kind::Store:
          CountStore(tile_.stores[index]);
          break;
        case TileStep::Kind::TakeOver:
          CountHanded(tile_.pipeline->hand_overs[index], HandedBoundaries(tile_),
                      traffic_.shared_loads);
          break;
        case TileStep::Kind::HandOver:
          CountHanded(tile_.pipeline->hand_overs[index], tile_.Stages() - 1,
                      traffic_.shared_stores);
          break;
      }
    }
    for (const TileVersion& version : tile_.versions) CountAgeing(version);
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
  void AddShared(std::int64_t& counter, VersionId version, std::int64_t elements) {
    counter += elements;
    traffic_.shared_bytes += elements * ValueBytes(graph_, version);
  }
  void AddLoads(VersionId version, std::int64_t elements) {
    if (InConstantMemory(graph_, version)) return;
    traffic_.loads += elements;
    traffic_.load_bytes += elements * ElementBytes(graph_, version);
  }

  /// Elements at the thread's own places in a row, which move as vectors where the tile is aligned.
  void AddRow(std::int64_t& joined, VersionId version, std::int64_t elements) {
    const int vector =
        tile_.alignment == 1 ? 1 : VectorOf(tile_, graph_.arrays[graph_.versions[version].array]);
    joined += elements * (vector - 1) / vector;
    if (vector == 1) AddSingles(version, elements);
  }
  void AddSingles(VersionId version, std::int64_t elements) {
    if (tile_.points[tile_.dimensions - 1] == 1) return;
    traffic_.strided_bytes += elements * ElementBytes(graph_, version);
  }

  /// `ahead`: steps by which a pipeline loads it earlier.
  void CountLoad(const TileVersion& input, std::int64_t ahead) {
    const std::vector<Range> array = blocks_.ArrayOf(input.version);
    const Condition condition = {blocks_.Around(array, input), &input.halo};
    const std::int64_t lag = input.lag - ahead;
    const std::int64_t elements = blocks_.CountPoints(condition, lag);
    AddLoads(input.version, elements);
    if (ahead > 0) {
      AddShared(traffic_.shared_stores, input.version, elements);
      traffic_.shared_joined += elements;  // the copies are counted as loads
      AddRow(traffic_.joined, input.version, elements);
    } else if (input.async) {
      AddShared(traffic_.shared_stores, input.version, elements);
      AddSingles(input.version, elements);
    } else {
      AddRow(traffic_.joined, input.version, elements);
    }
    if (input.async && input.rim >= 0) CountRim(input, input.halo, input.lag);
    const std::int64_t bytes = ElementBytes(graph_, input.version);
    double unique = 1;
    double from_memory = 1;
    double rows = 1;
    double row = 0;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      const auto requested =
          static_cast<double>(tile_.stream == d ? blocks_.AlongStream(condition, lag)
                                                : blocks_.Along(d, condition, -1));
      const Range all = {std::max(array[d].lo, blocks_.Grid(d).lo - input.halo.lo[d]),
                         std::min(array[d].hi, blocks_.Grid(d).hi + input.halo.hi[d])};
      const auto once = static_cast<double>(all.size());
      unique *= once;
      from_memory *= tile_.stream == d ? requested : once;
      if (d + 1 < tile_.dimensions) {
        rows *= requested;
      } else {
        const auto blocks = static_cast<double>(blocks_.Tiles(d));
        rows *= blocks;
        row = requested / blocks;
      }
    }
    traffic_.cache_bytes += SectorBytes(rows, row, bytes);
    traffic_.memory_bytes += from_memory * static_cast<double>(bytes);
    traffic_.compulsory_bytes += unique * static_cast<double>(bytes);
  }

  void CountPublish(int index) {
    const TileVersion& version = tile_.versions[static_cast<std::size_t>(index)];
    const std::vector<bool>& published = published_[static_cast<std::size_t>(index)];
    const std::int64_t of_thread = std::count(published.begin(), published.end(), true);
    const std::int64_t elements = blocks_.Everyone() / tile_.Points() * of_thread;
    AddShared(traffic_.shared_stores, version.version, elements + RimPublished(version));
    AddRow(traffic_.shared_joined, version.version, elements);
  }

  /// A plane that grows out of shared memory alone is taken into registers.
  void CountAgeing(const TileVersion& version) {
    if (!tile_.stream) return;
    for (std::size_t age = 1; age < version.planes.size(); ++age) {
      if (version.planes[age].registers && !version.planes[age - 1].registers) {
        AddShared(traffic_.shared_loads, version.version, blocks_.Everyone());
        AddRow(traffic_.shared_joined, version.version, blocks_.Everyone());
      }
    }
  }

  const Rim& RimOf(const TileVersion& version) const {
    return tile_.rims[static_cast<std::size_t>(version.rim)];
  }
  /// Elements of rims that all threads put into shared memory in all steps.
  std::int64_t RimPublished(const TileVersion& version) const {
    if (version.rim < 0) return 0;
    return blocks_.tiles() * traffic_.steps * RimElements(tile_, RimOf(version));
  }
  /// What threads load around their points, of planes up to `around` those that a chunk stores.
  void CountRim(const TileVersion& input, const Halo& around, std::int64_t lag) {
    const Rim& rim = RimOf(input);
    const std::vector<Range> ranges = blocks_.Around(blocks_.ArrayOf(input.version), input);
    const std::size_t x = tile_.dimensions - 1;
    std::int64_t planes = 1;
    std::int64_t rows = 1;    // of the block's points
    std::int64_t beyond = 0;  // rows above and below
    for (std::size_t d = 0; d < x; ++d) {
      if (tile_.stream == d) {
        planes = blocks_.AlongStream({ranges, &around}, lag);
        continue;
      }
      rows = blocks_.AlongBlocks(d, ranges[d], 0, tile_.Extent(d));
      beyond = blocks_.AlongBlocks(d, ranges[d], -rim.halo.lo[d], 0) +
               blocks_.AlongBlocks(d, ranges[d], tile_.Extent(d), tile_.Extent(d) + rim.halo.hi[d]);
    }
    const std::int64_t sides =
        blocks_.AlongBlocks(x, ranges[x], -rim.halo.lo[x], 0) +
        blocks_.AlongBlocks(x, ranges[x], tile_.Extent(x), tile_.Extent(x) + rim.halo.hi[x]);
    const std::int64_t inner = blocks_.AlongBlocks(x, ranges[x], 0, tile_.Extent(x));
    const std::int64_t width = inner + (rim.corners ? sides : 0);
    const std::int64_t elements = planes * (beyond * width + rows * sides);
    AddLoads(input.version, elements);
    if (input.async) AddShared(traffic_.shared_stores, input.version, elements);
    const std::int64_t bytes = ElementBytes(graph_, input.version);
    const auto tiles = static_cast<double>(blocks_.Tiles(x));
    const auto of_plane = static_cast<double>(planes);
    traffic_.cache_bytes += SectorBytes(of_plane * static_cast<double>(beyond) * tiles,
                                        static_cast<double>(width) / tiles, bytes);
    traffic_.cache_bytes += SectorBytes(of_plane * static_cast<double>(rows) * 2 * tiles,
                                        static_cast<double>(sides) / (2 * tiles), bytes);
  }

  /// All threads compute all their points, also those that nobody needs, unless that reads memory
  /// or what they take instead, their background, comes from there.
  void CountCompute(std::size_t index) {
    const Operator& op = OperatorAt(index);
    const TileVersion& result = tile_.versions[static_cast<std::size_t>(tile_.Find(op.result))];
    EvaluatedAccesses evaluated = FindEvaluated(graph_, op);
    std::vector<const Access*> accesses = evaluated.uniform;
    accesses.insert(accesses.end(), evaluated.point.begin(), evaluated.point.end());
    const std::int64_t flops = graph::FlopsPerPoint(graph_, op);
    const std::int64_t divisions = DivisionsPerPoint(graph_, op);
    const bool reads_memory = ReadsMemory(graph_, tile_, static_cast<int>(index));
    const bool skips = reads_memory || (tile_.ops[index].background &&
                                        !FindBackground(graph_, tile_, static_cast<int>(index)));
    const Condition condition = {blocks_.Around(blocks_.DomainOf(op), result),
                                 reads_memory ? &result.halo : nullptr, false};
    const OperatorSums& body = sums_[index];
    const bool together = body.shared && (tile_.ops[index].scatter || !skips);
    loaded_.clear();
    for (const Point& point : points_) {
      const std::int64_t computed = skips ? blocks_.CountPoints(condition, result.lag, &point)
                                          : blocks_.Everyone() / tile_.Points();
      traffic_.flops += computed * flops;
      traffic_.divisions += computed * divisions;
      traffic_.arithmetic += static_cast<double>(computed * body.arithmetic) / tile_.Points();
      for (const Access* access : accesses) {
        const auto read = FindRead(graph_, tile_, static_cast<int>(index), *access);
        if (read && PathOf(tile_, *read, point) != ReadPath::Memory) {
          CountHeld(*read, point, computed, together);
        } else {
          CountDirect(op, *access, {point, result.lag}, computed);
        }
      }
      CountBackground(index, point, condition);
    }
    CountShuffles(index);
  }

  /// `together`: the code of all points has the element in one variable.
  void CountHeld(const TileRead& read, const Point& point, std::int64_t elements, bool together) {
    if (PathOf(tile_, read, point) != ReadPath::Shared) return;
    Offset from = read.offset;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) from[d] += point[d];
    const bool is_new = loaded_.insert({read.version, read.age, from}).second;
    if (together && !is_new) return;
    AddShared(traffic_.shared_loads, VersionOf(read), elements);
    if (known_.insert({read.version, read.age, from}).second) {
      const std::int64_t place = from[tile_.dimensions - 1];
      if (place >= 0 && place < tile_.points[tile_.dimensions - 1]) {
        AddRow(traffic_.shared_joined, VersionOf(read), elements);
      } else {
        AddSingles(VersionOf(read), elements);
      }
      return;
    }
    traffic_.repeated_loads += elements;
    traffic_.repeated_bytes += elements * ValueBytes(graph_, VersionOf(read));
  }
  VersionId VersionOf(const TileRead& read) const {
    return tile_.versions[static_cast<std::size_t>(read.version)].version;
  }

  /// `at`: the point of a thread that reads.
  struct Reader {
    Point point;
    std::int64_t lag = 0;
  };
  void CountDirect(const Operator& op, const Access& access, const Reader& at,
                   std::int64_t elements) {
    if (InConstantMemory(graph_, access.version)) return;
    AddLoads(access.version, elements);
    traffic_.direct_bytes += elements * ElementBytes(graph_, access.version);
    if (!asked_.insert({access.version, PlaceOf(op, access, at)}).second) {
      traffic_.merged_loads += elements;
      traffic_.merged_bytes += elements * ElementBytes(graph_, access.version);
    }
    AddSingles(access.version, elements);
    AddDirect(access.version,
              ReadRanges(graph_, op, PointRanges(op, parameters_), access, parameters_), elements);
  }
  /// Of an element that a thread reads itself, beside where the thread is.
  std::vector<std::int64_t> PlaceOf(const Operator& op, const Access& access,
                                    const Reader& at) const {
    std::vector<std::int64_t> place;
    for (const graph::Index& index : access.indices) {
      std::int64_t along = graph::Evaluate(index.offset, parameters_);
      const auto it = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
      const auto d = static_cast<std::size_t>(it - op.iterators.begin());
      if (index.iterator >= 0) {
        along += index.coefficient * (tile_.stream == d ? -at.lag : at.point[d]);
      }
      place.push_back(along);
      place.push_back(index.place.index);
    }
    return place;
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
    const Condition inside = {blocks_.Around(blocks_.ArrayOf(op.background), result), &result.halo,
                              false};
    Condition both = inside;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      both.range[d] = Cut(both.range[d], computes.range[d]);
    }
    const std::int64_t elements = blocks_.CountPoints(inside, result.lag, &point) -
                                  blocks_.CountPoints(both, result.lag, &point);
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
      const std::int64_t elements = blocks_.Everyone() / tile_.Points();
      traffic_.shuffles += elements;
      traffic_.shuffle_bytes += elements * ValueBytes(graph_, version);
    }
  }

  /// `others`: the stages that take a plane over, or hand one over.
  void CountHanded(const HandOver& each, std::int64_t others, std::int64_t& counter) {
    const VersionId version = tile_.versions[static_cast<std::size_t>(each.version)].version;
    const std::int64_t elements = blocks_.Everyone() / tile_.Stages() * others;
    const int vector = HandedVector(graph_, tile_, each);
    AddShared(counter, version, elements);
    traffic_.shared_joined += elements * (vector - 1) / vector;
  }

  void CountStore(const TileStore& store) {
    static constexpr Halo kNone = {};
    const auto at = static_cast<std::size_t>(tile_.Find(store.version));
    const Condition condition = {blocks_.StoreRange(store), &kNone};
    const std::int64_t elements = blocks_.CountPoints(condition, tile_.versions[at].lag);
    const std::int64_t bytes = elements * ElementBytes(graph_, store.version);
    traffic_.stores += elements;
    traffic_.store_bytes += bytes;
    AddRow(traffic_.joined, store.version, elements);
    traffic_.points = std::max(traffic_.points, elements);
    traffic_.cache_bytes += static_cast<double>(bytes);
    traffic_.memory_bytes += static_cast<double>(bytes);
    traffic_.compulsory_bytes += static_cast<double>(bytes);
  }

  const Graph& graph_;
  const Tile& tile_;
  const ParameterValues& parameters_;
  Traffic& traffic_;
  const TileBlocks blocks_;
  const std::vector<Point> points_;
  const std::vector<std::vector<bool>> published_;  ///< by version and point
  const TileSums& sums_;
  std::map<VersionId, Direct> direct_;
  /// What the operator being counted has loaded from shared memory: version, age, place.
  std::set<std::tuple<int, int, Offset>> loaded_;
  /// The same of all operators, since shared memory has changed last.
  std::set<std::tuple<int, int, Offset>> known_;
  /// Elements of memory that operators have read in a step.
  std::set<std::pair<VersionId, std::vector<std::int64_t>>> asked_;
};

}  // namespace

void CountTile(const Plan& plan, const Kernel& kernel, const ParameterValues& parameters,
               const TileSums& sums, Traffic& traffic) {
  TileCounter(plan, kernel, parameters, sums, traffic).Run();
}

}  // namespace stencilgen::plan
