#include "tools/tune/search_space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/schedule_candidates.h"

namespace stencilgen::driver {

namespace {

bool HasLoop(const graph::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& node) {
    return std::holds_alternative<graph::Loop>(node);
  });
}

/// `x=64,y=4` for so many dimensions.
std::string AxesText(const std::array<int, 3>& sizes, std::size_t dimensions) {
  std::vector<std::string> texts;
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    texts.push_back(fmt::format("{}={}", "xyz"[axis], sizes[axis]));
  }
  return fmt::format("{}", fmt::join(texts, ","));
}
/// `k=1,j=4,i=1`: sizes are along x, y, z, and x is the last iterator.
std::string IteratorsText(const std::array<int, 3>& sizes,
                          const std::vector<std::string>& iterators) {
  std::vector<std::string> texts;
  for (std::size_t n = 0; n < iterators.size(); ++n) {
    texts.push_back(fmt::format("{}={}", iterators[n], sizes[iterators.size() - 1 - n]));
  }
  return fmt::format("{}", fmt::join(texts, ","));
}

/// An option left open, and with each of these values.
Dimension Values(const std::string& option, const std::vector<std::string>& values) {
  Dimension dimension{option, {{}}};
  for (const std::string& value : values) dimension.alternatives.push_back({{option, value}});
  return dimension;
}
/// A flag left open, there, and denied.
Dimension Flag(const std::string& name) {
  return {name, {{}, {{"--" + name, ""}}, {{"--no-" + name, ""}}}};
}

/// The largest extent of an array along the iterator's dimension, the first being 0.
std::int64_t ExtentAlong(const graph::Graph& graph, const graph::ParameterValues& sizes,
                         std::size_t iterator) {
  std::int64_t largest = 1;
  for (const graph::Node& node : graph.nodes) {
    const auto* op = std::get_if<graph::Operator>(&node);
    if (op == nullptr) continue;
    for (std::size_t n = 0; n < op->iterators.size(); ++n) {
      if (static_cast<std::size_t>(op->iterators[n]) != iterator) continue;
      largest = std::max(largest, graph::Evaluate(op->domain.intervals[n], sizes).size());
    }
  }
  return largest;
}

/// What the option says something of: an option and its opposite exclude each other.
std::string SubjectOf(const std::string& option) {
  const bool stream = option.size() > 7 && option.rfind("-stream") == option.size() - 7;
  if (stream) return "--stream";
  return option.rfind("--no-", 0) == 0 ? "--" + option.substr(5) : option;
}

/// Without what is given: that stays as it is.
SearchSpace Without(SearchSpace space, const OptionSet& given) {
  std::set<std::string> said;
  for (const auto& [name, value] : given) said.insert(SubjectOf(name));
  const auto touches = [&](const OptionSet& set) {
    return std::any_of(set.begin(), set.end(),
                       [&](const auto& one) { return said.count(SubjectOf(one.first)) > 0; });
  };
  for (OptionSet& set : space.start) {
    std::erase_if(set, [&](const auto& one) { return touches({one}); });
  }
  for (Dimension& dimension : space.dimensions) {
    std::erase_if(dimension.alternatives, touches);
  }
  std::erase_if(space.dimensions,
                [](const Dimension& dimension) { return dimension.alternatives.size() < 2; });
  return space;
}

/// The candidates that may be had, the best of each kind first, then the second best of each, and
/// so on: a model that is wrong is wrong about kinds.
std::vector<Candidate> ByTurns(const std::vector<Candidate>& ranked) {
  using Kind = std::tuple<int, bool, bool, bool>;
  std::map<Kind, std::size_t> seen;
  std::vector<std::pair<std::size_t, const Candidate*>> turns;
  for (const Candidate& candidate : ranked) {
    if (!std::isfinite(candidate.seconds)) continue;
    const plan::Schedule& schedule = candidate.schedule;
    const Kind kind = {candidate.time_tile, schedule.shared_memory, schedule.shuffle,
                       schedule.stream.has_value()};
    turns.emplace_back(seen[kind]++, &candidate);
  }
  std::stable_sort(turns.begin(), turns.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Candidate> ordered;
  ordered.reserve(turns.size());
  for (const auto& [turn, candidate] : turns) ordered.push_back(*candidate);
  return ordered;
}

Dimension Blocks(std::size_t dimensions) {
  Dimension blocks{"block", {{}}};
  std::vector<std::array<int, 3>> shapes;
  if (dimensions == 1) {
    shapes = {{64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {512, 1, 1}, {1024, 1, 1}};
  } else {
    for (const int y : {1, 2, 4, 8, 16, 32}) {
      for (const int x : {32, 64, 128, 256, 512}) {
        if (x * y >= 64 && x * y <= 1024) shapes.push_back({x, y, 1});
      }
    }
    shapes.push_back({32, 1, 1});
    if (dimensions == 3) shapes.insert(shapes.end(), {{32, 4, 4}, {32, 2, 4}, {32, 4, 2}});
  }
  for (const auto& shape : shapes) {
    blocks.alternatives.push_back({{"--blockdim", AxesText(shape, dimensions)}});
  }
  return blocks;
}

Dimension Points(const std::vector<std::string>& iterators) {
  Dimension points{"points", {{}}};
  std::vector<std::array<int, 3>> shapes = {{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {8, 1, 1}};
  if (iterators.size() > 1) {
    shapes.insert(shapes.end(), {{1, 2, 1}, {1, 4, 1}, {1, 8, 1}, {2, 2, 1}, {2, 4, 1}, {4, 2, 1}});
  }
  if (iterators.size() > 2) shapes.insert(shapes.end(), {{1, 1, 2}, {1, 1, 4}, {1, 2, 2}});
  for (const auto& shape : shapes) {
    points.alternatives.push_back({{"--unroll", IteratorsText(shape, iterators)}});
  }
  return points;
}

/// How so many statements come together in kernels.
Dimension Groups(int statements) {
  constexpr int kMostLimit = 16;
  constexpr int kMostParts = 6;
  Dimension groups{"fusion",
                   {{},
                    {{"--fusion", "none"}},
                    {{"--fusion", "max"}},
                    {{"--fusion", "greedy"}},
                    {{"--split", "auto"}}}};
  for (int limit = 2; limit < std::min(statements, kMostLimit + 1); ++limit) {
    const std::string text = fmt::format("{}", limit);
    groups.alternatives.push_back({{"--fusion", "max"}, {"--fusion-limit", text}});
    groups.alternatives.push_back({{"--fusion", "greedy"}, {"--fusion-limit", text}});
  }
  for (int parts = 2; parts <= kMostParts; ++parts) {
    groups.alternatives.push_back({{"--split", fmt::format("{}", parts)}});
  }
  return groups;
}

Dimension Streams(const graph::Graph& graph, const graph::ParameterValues& sizes) {
  constexpr std::int64_t kShortest = 16;
  Dimension streams{"stream", {{}, {{"--no-stream", ""}}}};
  for (std::size_t n = 0; n + 1 < graph.iterators.size(); ++n) {
    const std::string& name = graph.iterators[n];
    streams.alternatives.push_back({{"--stream", name}});
    streams.alternatives.push_back({{"--concurrent-stream", name + ":auto"}});
    const std::int64_t extent = ExtentAlong(graph, sizes, n);
    for (std::int64_t chunk = kShortest; chunk < extent; chunk *= 2) {
      streams.alternatives.push_back({{"--concurrent-stream", fmt::format("{}:{}", name, chunk)}});
    }
  }
  return streams;
}

}  // namespace

OptionSet OptionsOf(const Candidate& candidate, const graph::Graph& graph) {
  const plan::Schedule& schedule = candidate.schedule;
  const std::size_t dimensions = std::min<std::size_t>(graph.iterators.size(), 3);
  OptionSet set;
  set["--blockdim"] = AxesText(schedule.block, dimensions);
  set["--unroll"] = IteratorsText(schedule.unroll, graph.iterators);
  if (schedule.stream) {
    const std::string& name = graph.iterators[static_cast<std::size_t>(schedule.stream->iterator)];
    if (schedule.stream->shortest > 0) {
      set["--concurrent-stream"] = name + ":auto";
    } else if (schedule.stream->chunk > 0) {
      set["--concurrent-stream"] = fmt::format("{}:{}", name, schedule.stream->chunk);
    } else {
      set["--stream"] = name;
    }
  } else {
    set["--no-stream"] = "";
  }
  if (HasLoop(graph)) set["--time-tile"] = fmt::format("{}", candidate.time_tile);
  const bool tiled = schedule.shared_memory || schedule.shuffle;
  set["--shared-mem"] = schedule.shared_memory ? "true" : "false";
  if (tiled) set[schedule.shuffle ? "--shuffle" : "--no-shuffle"] = "";
  if (candidate.split > 0) {
    set["--split"] = fmt::format("{}", candidate.split);
  } else if (CountOperators(graph) > 1 || candidate.time_tile > 1) {
    static constexpr std::array kNames = {"none", "max", "greedy"};
    set["--fusion"] = kNames[static_cast<std::size_t>(schedule.fusion)];
    if (schedule.fusion != plan::Fusion::None &&
        schedule.most_operators != plan::Schedule().most_operators) {
      set["--fusion-limit"] = fmt::format("{}", schedule.most_operators);
    }
  }
  if (schedule.shape == plan::TurnTiles::Hexagon) set["--shape"] = "hexagon";
  if (schedule.stages > 1) set["--stages"] = fmt::format("{}", schedule.stages);
  if (tiled) set["--halo"] = schedule.halo == plan::HaloBy::Loads ? "loads" : "threads";
  if (tiled && schedule.stream) {
    static constexpr std::array kPrefetch = {"none", "step", "register", "async"};
    set["--prefetch"] = kPrefetch[static_cast<std::size_t>(schedule.prefetch)];
    set["--barriers"] = schedule.barriers == plan::BarrierRule::Step ? "step" : "level";
  }
  return set;
}

SearchSpace CudaSpace(const graph::Graph& graph, const ChosenPlan& chosen,
                      const PipelineOptions& options, const OptionSet& given) {
  constexpr std::size_t kMostRanked = 64;
  SearchSpace space;
  for (const Candidate& candidate : ByTurns(chosen.ranked)) {
    if (space.start.size() == kMostRanked) break;
    space.start.push_back(OptionsOf(candidate, graph));
  }
  const bool fast = options.codegen.fp == FpMode::Fast;
  const bool several = CountOperators(graph) > 1;
  auto& dimensions = space.dimensions;
  dimensions.push_back(Blocks(std::min<std::size_t>(graph.iterators.size(), 3)));
  dimensions.push_back(Points(graph.iterators));
  dimensions.push_back(Streams(graph, chosen.sizes));
  if (HasLoop(graph)) {
    dimensions.push_back(
        Values("--time-tile", {"1", "2", "3", "4", "5", "6", "8", "10", "12", "16"}));
  }
  if (several) dimensions.push_back(Groups(CountOperators(graph)));
  dimensions.push_back(Values("--shared-mem", {"true", "false"}));
  dimensions.push_back(Values("--prefetch", {"none", "step", "register", "async"}));
  dimensions.push_back(Values("--halo", {"threads", "loads"}));
  dimensions.push_back(Values("--barriers", {"level", "step"}));
  dimensions.push_back(Flag("shuffle"));
  if (fast) dimensions.push_back(Flag("retime"));
  if (fast) {
    // What ptxas says of orders is no part of what is measured.
    Dimension orders = Values("--reorder", {"none", "trees", "lars"});
    orders.alternatives.push_back({{"--reorder", "auto"}, {"--reorder-score", "static"}});
    dimensions.push_back(std::move(orders));
  }
  dimensions.push_back(Values("--cregs", {"64", "80", "96", "128", "168", "255"}));
  return Without(std::move(space), given);
}

SearchSpace CppSpace(const graph::Graph& graph, const graph::ParameterValues& sizes, FpMode fp,
                     int threads, const OptionSet& given) {
  SearchSpace space;
  const std::vector<std::string>& iterators = graph.iterators;
  Dimension tiles{"tile", {{}}};
  const auto tile = [&](std::size_t n, std::initializer_list<int> points) {
    for (const int count : points) {
      if (count >= ExtentAlong(graph, sizes, n)) continue;
      tiles.alternatives.push_back({{"--tile", fmt::format("{}={}", iterators[n], count)}});
    }
  };
  if (iterators.size() == 3) tile(1, {8, 16, 32, 64, 128});
  if (iterators.size() == 2) tile(1, {512, 1024, 2048, 4096});
  if (iterators.size() == 3) tile(2, {128, 256});
  if (tiles.alternatives.size() > 1) space.dimensions.push_back(tiles);
  space.dimensions.push_back(Points(iterators));
  if (HasLoop(graph)) {
    space.dimensions.push_back(Values("--time-tile", {"1", "4", "8", "16", "32", "64"}));
  }
  if (fp == FpMode::Fast) {
    Dimension orders = Values("--reorder", {"none", "trees", "lars"});
    orders.alternatives.push_back({{"--reorder", "auto"}, {"--distribute", ""}});
    space.dimensions.push_back(std::move(orders));
  }
  if (CountOperators(graph) > 1) {
    space.dimensions.push_back(Values("--fusion", {"none", "max"}));
  }
  std::vector<std::string> counts;
  for (int count = threads - 1; count >= 1; count /= 2) counts.push_back(fmt::format("{}", count));
  if (!counts.empty()) space.dimensions.push_back(Values("--threads", counts));
  space = Without(std::move(space), given);

  // One dimension at a time, then the pairs of two.
  std::set<OptionSet> listed;
  const auto list = [&](const OptionSet& set) {
    if (!set.empty() && listed.insert(set).second) space.start.push_back(set);
  };
  for (const OptionSet& set : Neighbours({}, space.dimensions)) list(set);
  for (std::size_t a = 0; a < space.dimensions.size(); ++a) {
    for (std::size_t b = a + 1; b < space.dimensions.size(); ++b) {
      for (const OptionSet& one : space.dimensions[a].alternatives) {
        for (const OptionSet& other : space.dimensions[b].alternatives) {
          OptionSet both = one;
          both.insert(other.begin(), other.end());
          list(both);
        }
      }
    }
  }
  return space;
}

}  // namespace stencilgen::driver
