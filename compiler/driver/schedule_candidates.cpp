#include "driver/schedule_candidates.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/nodes.h"

namespace stencilgen::driver {
namespace {

using plan::Prefetch;
using plan::Schedule;

/// Threads and points a thread, along x, y, z.
struct Shape {
  std::array<int, 3> block, unroll;
  bool stream = false;
  bool shuffle = false;
  bool pipeline = false;  ///< in time
};

/// Wide tiles have the least halo along x and load whole sectors; a stream takes the outermost
/// dimension, so that tiles have halos in the others only.
std::vector<Shape> ShapesFor(std::size_t dimensions) {
  if (dimensions == 1) {
    return {{{256, 1, 1}, {1, 1, 1}},
            {{256, 1, 1}, {2, 1, 1}},
            {{256, 1, 1}, {4, 1, 1}},
            {{128, 1, 1}, {1, 1, 1}},
            {{512, 1, 1}, {2, 1, 1}}};
  }
  if (dimensions == 2) {
    return {
        {{256, 1, 1}, {1, 1, 1}, true},
        {{128, 1, 1}, {1, 1, 1}, true},
        {{256, 1, 1}, {2, 1, 1}, true},
        {{128, 1, 1}, {2, 1, 1}, true},
        {{32, 8, 1}, {1, 2, 1}},
        {{32, 1, 1}, {4, 1, 1}, true, true},
        {{512, 1, 1}, {1, 1, 1}, true},
        {{64, 1, 1}, {2, 1, 1}, true},
        {{128, 1, 1}, {4, 1, 1}, true},
        {{256, 1, 1}, {4, 1, 1}, true},
        {{32, 16, 1}, {1, 1, 1}},
        {{32, 16, 1}, {1, 4, 1}},
        {{64, 8, 1}, {1, 4, 1}},
        {{64, 16, 1}, {1, 2, 1}},
        {{32, 1, 1}, {2, 1, 1}, true, true},
    };
  }
  return {
      {{32, 16, 1}, {1, 1, 1}, true},
      {{32, 16, 1}, {1, 2, 1}, true},
      {{32, 8, 1}, {1, 2, 1}, true},
      {{64, 8, 1}, {1, 2, 1}, true},
      {{32, 8, 1}, {1, 1, 1}, true},
      {{32, 8, 1}, {1, 4, 1}, true},
      {{32, 16, 1}, {1, 4, 1}, true},
      {{64, 8, 1}, {1, 1, 1}, true},
      {{64, 8, 1}, {1, 4, 1}, true},
      {{64, 4, 1}, {1, 4, 1}, true},
      {{32, 4, 4}, {1, 1, 2}},
      // Neighbours along x and most of those along y in a thread's own warp and registers.
      {{32, 8, 1}, {2, 4, 1}, true, true},
      {{32, 8, 1}, {4, 4, 1}, true, true},
      {{32, 12, 1}, {2, 3, 1}, true, true},
      {{32, 12, 1}, {4, 3, 1}, true, true},
      {{32, 8, 1}, {2, 2, 1}, true, true},
      {{32, 8, 1}, {4, 2, 1}, true, true},
  };
}

/// Pipelines in time: strips of a row whose vectors meet in no bank of shared memory, as many
/// points as the registers of a thread hold for some time steps.
std::vector<Shape> PipelinesFor(const graph::Graph& graph) {
  if (graph::WalkedDimensions(graph) != 2) return {};
  const bool is_double = std::any_of(
      graph.arrays.begin(), graph.arrays.end(),
      [](const auto& each) { return each.rank() > 0 && each.type == ScalarType::Double; });
  std::vector<Shape> shapes;
  for (const int points : is_double ? std::array{6, 10, 14} : std::array{12, 20, 28}) {
    shapes.push_back({{32, 1, 1}, {points, 1, 1}, true, true, true});
  }
  return shapes;
}

/// Statements that accumulate into one array belong together: how many such follow each other,
/// where that is the same number everywhere; else 1.
int FindUnit(const graph::Graph& graph) {
  std::vector<int> runs;
  graph::ArrayId previous;
  for (const graph::Node& node : graph.nodes) {
    const auto* op = std::get_if<graph::Operator>(&node);
    if (op == nullptr || op->target.empty()) continue;
    const graph::ArrayId array = graph.versions[op->result].array;
    if (array == previous) {
      ++runs.back();
    } else {
      runs.push_back(1);
    }
    previous = array;
  }
  const bool even = std::all_of(runs.begin(), runs.end(), [&](int n) { return n == runs[0]; });
  return even && !runs.empty() ? runs[0] : 1;
}

class Lister {
 public:
  Lister(const graph::Graph& graph, const PipelineOptions& options)
      : graph_(graph), options_(options), operators_(CountOperators(graph)) {}

  CandidateLists Run() {
    const plan::Schedule& given = options_.schedule;
    const bool tiles_wanted = (options_.given.shared_memory && given.shared_memory) ||
                              (options_.given.shuffle && given.shuffle);
    const bool tiles_refused = options_.given.shared_memory && !given.shared_memory &&
                               !(options_.given.shuffle && given.shuffle);
    CandidateLists lists;
    const bool hexagons = options_.given.shape && given.shape == plan::TurnTiles::Hexagon;
    if (hexagons) {
      lists.tiled = Hexagons();
      return lists;
    }
    if (!tiles_wanted && !options_.split) lists.plain.push_back(Plain());
    const bool many = operators_ > kMostOperators && !options_.split;
    if (!tiles_refused && !many) lists.tiled = Tiled();
    if (lists.plain.empty() && lists.tiled.empty()) lists.plain.push_back(Plain());
    return lists;
  }

 private:
  static constexpr int kMostOperators = 1000;
  static constexpr int kManyOperators = 50;
  static constexpr int kSomeOperators = 20;
  static constexpr std::size_t kMostSizes = 4;

  Candidate Plain() const {
    Candidate candidate{options_.schedule, options_.time_tile, 0};
    return candidate;
  }

  /// How many operators share a kernel.
  struct Grouping {
    plan::Fusion fusion;
    int most_operators;
    bool whole = true;  ///< all that may: worth more time steps
  };
  std::vector<Grouping> Groupings() const {
    const int most = options_.schedule.most_operators;
    if (options_.split) return {{plan::Fusion::Max, most, false}};
    const bool all = most >= operators_;
    if (options_.given.fusion) return {{options_.schedule.fusion, most, all}};
    if (operators_ == 1) return {{plan::Fusion::Max, most}};
    if (operators_ > kManyOperators) {
      return {{plan::Fusion::Greedy, most}, {plan::Fusion::None, most}};
    }
    std::vector<Grouping> groupings = {{plan::Fusion::Max, most, all},
                                       {plan::Fusion::Greedy, most, false}};
    // Some kernels of about equal length, where one holds too much.
    const int unit = FindUnit(graph_);
    const int units = operators_ / unit;
    std::set<int, std::greater<>> sizes;
    for (int parts = 2; parts < units && sizes.size() < kMostSizes; ++parts) {
      sizes.insert(unit * ((units + parts - 1) / parts));
    }
    if (unit > 1) sizes.insert(unit);
    if (operators_ > 2) sizes.insert(2);
    sizes.erase(1);
    for (const int size : sizes) {
      if (size < most) groupings.push_back({plan::Fusion::Max, size, false});
    }
    groupings.push_back({plan::Fusion::None, most});
    return groupings;
  }
  std::vector<int> TimeTiles(const Grouping& grouping) const {
    if (options_.given.time_tile) return {options_.time_tile};
    const bool fuses_steps = grouping.fusion != plan::Fusion::None && grouping.whole;
    if (!graph::HasLoop(graph_) || !fuses_steps) return {1};
    constexpr int kMostFused = 32;
    std::vector<int> tiles;
    for (const int steps : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16}) {
      if (steps == 1 || steps * operators_ <= kMostFused) tiles.push_back(steps);
    }
    return tiles;
  }

  /// Tiles that compute nothing twice, of more and more turns.
  std::vector<std::vector<Candidate>> Hexagons() const {
    std::vector<std::vector<Candidate>> lists;
    for (const std::array<int, 3>& block : {std::array{32, 8, 1}, std::array{32, 16, 1}}) {
      std::vector<Candidate> list;
      for (int turns : {4, 8, 12, 16, 24, 32}) {
        if (options_.given.time_tile) turns = options_.time_tile;
        Candidate candidate{options_.schedule, turns, 0};
        Schedule& schedule = candidate.schedule;
        schedule.shape = plan::TurnTiles::Hexagon;
        schedule.fusion = plan::Fusion::None;
        schedule.stream.reset();
        schedule.unroll = {1, 1, 1};
        for (std::size_t axis = 0; axis < 2; ++axis) {
          if (!options_.given.block[axis]) schedule.block[axis] = block[axis];
        }
        schedule.block[2] = 1;
        list.push_back(candidate);
        if (options_.given.time_tile) break;
      }
      lists.push_back(std::move(list));
    }
    return lists;
  }

  std::vector<std::vector<Candidate>> Tiled() const {
    std::vector<Shape> shapes = ShapesFor(std::min<std::size_t>(dimensions_, 3));
    if (operators_ > kManyOperators) shapes.resize(1);
    if (shapes.size() > 5 && operators_ > kSomeOperators) shapes.resize(5);
    if (graph::HasLoop(graph_) && options_.schedule.stages > 1) {
      for (const Shape& shape : PipelinesFor(graph_)) shapes.push_back(shape);
    }
    std::vector<std::vector<Candidate>> lists;
    std::set<std::string> seen;
    for (const Grouping& grouping : Groupings()) {
      for (const Shape& shape : shapes) {
        for (const plan::HaloBy halo : Halos(shape)) {
          if (shape.pipeline && grouping.fusion != plan::Fusion::Max) continue;
          for (const bool early : Earliness(shape)) {
            std::vector<Candidate> list;
            for (const int steps : TimeTiles(grouping)) {
              Candidate candidate{options_.schedule, steps, 0};
              candidate.schedule.fusion = grouping.fusion;
              candidate.schedule.most_operators = grouping.most_operators;
              candidate.schedule.halo = halo;
              if (!SetShape(shape, candidate.schedule)) continue;
              if (early) SetEarly(candidate.schedule);
              if (steps == 1) SetTogether(candidate.schedule);
              if (seen.insert(Key(candidate)).second) list.push_back(candidate);
            }
            if (!list.empty()) lists.push_back(std::move(list));
          }
        }
      }
    }
    return lists;
  }
  /// Few warps of many points a thread hide nothing of each other's waiting: how many time steps
  /// pay shows only where planes come early and all levels share a barrier.
  std::vector<bool> Earliness(const Shape& shape) const {
    const bool large = shape.unroll[0] * shape.unroll[1] >= 8;
    if (dimensions_ == 3 && shape.shuffle && large) return {false, true};
    return {false};
  }
  void SetEarly(Schedule& schedule) const {
    if (!options_.given.barriers) schedule.barriers = plan::BarrierRule::Step;
    if (!options_.given.prefetch) schedule.prefetch = Prefetch::Register;
  }
  /// A tile of one turn reads most of what it reads once: how many operators a kernel can have
  /// shows where all loads of a step wait together.
  void SetTogether(Schedule& schedule) const {
    const bool is_default = schedule.prefetch == Prefetch::None && !options_.given.prefetch;
    if (is_default && schedule.stream && operators_ <= kManyOperators) {
      schedule.prefetch = Prefetch::Step;
    }
  }
  std::vector<plan::HaloBy> Halos(const Shape& shape) const {
    using plan::HaloBy;
    if (options_.given.halo || shape.shuffle) return {options_.schedule.halo};
    if (operators_ > kManyOperators) return {HaloBy::Loads};
    return {HaloBy::Threads, HaloBy::Loads};
  }

  /// False where the shape cannot be had with what is given.
  bool SetShape(Shape shape, Schedule& schedule) const {
    const auto iterators = static_cast<int>(graph_.iterators.size());
    if (!options_.given.stream && shape.stream) {
      const int outermost = iterators - static_cast<int>(dimensions_);
      schedule.stream = plan::Stream{outermost, 0, plan::ShortestChunk(dimensions_)};
    }
    if (options_.given.stream && schedule.stream && dimensions_ == 3) {
      // Shapes are for a stream along the outermost dimension.
      const auto streamed = static_cast<std::size_t>(iterators - 1 - schedule.stream->iterator);
      std::swap(shape.block[2], shape.block[streamed]);
      std::swap(shape.unroll[2], shape.unroll[streamed]);
    }
    int threads = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool streamed =
          schedule.stream && static_cast<int>(axis) == iterators - 1 - schedule.stream->iterator;
      if (!options_.given.block[axis]) schedule.block[axis] = shape.block[axis];
      if (streamed && schedule.block[axis] > 1) {
        if (options_.given.block[axis]) return false;
        schedule.block[axis] = 1;
      }
      if (!options_.unroll_given[axis]) {
        schedule.unroll[axis] = streamed ? 1 : shape.unroll[axis];
      }
      threads *= schedule.block[axis];
    }
    if (!options_.given.form && options_.codegen.fp == FpMode::Fast) {
      schedule.form = plan::Form::Auto;
    }
    if (!options_.given.shared_memory) schedule.shared_memory = true;
    if (!options_.given.shuffle) schedule.shuffle = shape.shuffle;
    const bool copies = shape.pipeline && options_.schedule.warp == 32;
    if (copies && !options_.given.prefetch) schedule.prefetch = plan::Prefetch::Async;
    constexpr int kMostThreads = 1024;
    return threads <= kMostThreads;
  }

  static std::string Key(const Candidate& candidate) {
    const Schedule& s = candidate.schedule;
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", fmt::join(s.block, ","),
                       fmt::join(s.unroll, ","), s.stream ? s.stream->iterator : -1,
                       static_cast<int>(s.fusion), static_cast<int>(s.objective), s.most_operators,
                       s.shared_memory, s.shuffle, static_cast<int>(s.halo), candidate.time_tile,
                       static_cast<int>(s.barriers), static_cast<int>(s.prefetch));
  }

  const graph::Graph& graph_;
  const PipelineOptions& options_;
  const int operators_;
  const std::size_t dimensions_ = graph::WalkedDimensions(graph_);
};

}  // namespace

int CountOperators(const graph::Graph& graph) {
  int count = 0;
  for (const graph::Node& node : graph.nodes) {
    const auto* op = std::get_if<graph::Operator>(&node);
    if (op != nullptr && !op->target.empty()) ++count;
  }
  return count;
}

CandidateLists ListCandidates(const graph::Graph& graph, const PipelineOptions& options) {
  return Lister(graph, options).Run();
}

std::vector<Candidate> AlongOthers(const Candidate& candidate, const graph::Graph& graph,
                                   const PipelineOptions& options) {
  const auto iterators = static_cast<int>(graph.iterators.size());
  const auto dimensions = static_cast<int>(graph::WalkedDimensions(graph));
  const std::optional<plan::Stream>& stream = candidate.schedule.stream;
  if (options.given.stream || !stream || dimensions < 3) return {};
  const auto axis_of = [&](int iterator) {
    return static_cast<std::size_t>(iterators - 1 - iterator);
  };
  const std::size_t from = axis_of(stream->iterator);
  std::vector<Candidate> others;
  for (int iterator = iterators - dimensions; iterator + 1 < iterators; ++iterator) {
    const std::size_t to = axis_of(iterator);
    if (to == from) continue;
    const bool given = options.given.block[from] || options.given.block[to] ||
                       options.unroll_given[from] || options.unroll_given[to];
    if (given) continue;
    Candidate other = candidate;
    other.schedule.stream->iterator = iterator;
    std::swap(other.schedule.block[from], other.schedule.block[to]);
    std::swap(other.schedule.unroll[from], other.schedule.unroll[to]);
    others.push_back(other);
  }
  return others;
}

std::vector<Candidate> Variants(const Candidate& candidate, const PipelineOptions& options) {
  using plan::BarrierRule;
  const Schedule& schedule = candidate.schedule;
  const bool tiled = schedule.shared_memory || schedule.shuffle;
  if (!tiled || !schedule.stream) return {};
  std::vector<BarrierRule> rules = {BarrierRule::Level, BarrierRule::Step};
  std::vector<Prefetch> prefetches = {Prefetch::None, Prefetch::Step, Prefetch::Register};
  if (options.given.barriers) rules = {schedule.barriers};
  if (options.given.prefetch) prefetches = {schedule.prefetch};
  std::vector<Candidate> variants;
  for (const BarrierRule barriers : rules) {
    for (const Prefetch prefetch : prefetches) {
      if (barriers == schedule.barriers && prefetch == schedule.prefetch) continue;
      Candidate variant = candidate;
      variant.schedule.barriers = barriers;
      variant.schedule.prefetch = prefetch;
      variants.push_back(variant);
    }
  }
  return variants;
}

}  // namespace stencilgen::driver
