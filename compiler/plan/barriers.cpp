#include "plan/barriers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace stencilgen::plan {
namespace {

using Kind = TileStep::Kind;

/// Numbers of the last stretch between barriers in which a plane was written and read.
struct Cell {
  int written = -1, read = -1;
};

/// What an operator reads of other threads through shared memory: versions and ages, each once.
using Exchanges = std::vector<std::vector<std::pair<int, int>>>;

Exchanges FindExchanges(const std::vector<std::vector<TileRead>>& reads, const Tile& tile) {
  Exchanges exchanges(reads.size());
  const auto points = PointsOf(tile);
  for (std::size_t op = 0; op < reads.size(); ++op) {
    for (const TileRead& read : reads[op]) {
      const auto& wall = tile.ops[op].wall;
      const bool exchanged = std::any_of(points.begin(), points.end(), [&](const auto& point) {
        // What a point away from the wall would be is not used.
        if (wall && !wall->MayHave(point, tile.dimensions - 1)) return false;
        return PathOf(tile, read, point) == ReadPath::Shared;
      });
      const std::pair<int, int> exchange(read.version, read.age);
      auto& those = exchanges[op];
      if (exchanged && std::find(those.begin(), those.end(), exchange) == those.end()) {
        those.push_back(exchange);
      }
    }
  }
  return exchanges;
}

/// What a step of the stream does to planes of shared memory.
struct Event {
  enum class Kind : std::uint8_t { Barrier, Write, Read };
  Kind kind = Kind::Barrier;
  bool at_wall = false;  ///< by an operator at a wall
  int first = 0;         ///< cell of the region's first plane
  int slots = 1;         ///< planes of the version
  int region_slots = 1;  ///< planes of the region
  int age = 0;           ///< of the plane
};

std::vector<Event> EventsOf(const std::vector<TileStep>& steps, const Exchanges& exchanges,
                            const Tile& tile) {
  std::vector<int> first_of;
  int cells = 0;
  for (const SharedRegion& region : tile.regions) {
    first_of.push_back(cells);
    cells += region.slots;
  }
  std::vector<Event> events;
  const auto add = [&](Event::Kind kind, int version, int age, bool at_wall) {
    const TileVersion& v = tile.versions[static_cast<std::size_t>(version)];
    const auto region = static_cast<std::size_t>(v.region);
    events.push_back({kind, at_wall, first_of[region], v.slots, tile.regions[region].slots, age});
  };
  for (const TileStep& step : steps) {
    if (step.kind == Kind::Barrier) events.push_back({});
    if (tile.WritesShared(step)) {
      const TileVersion& v = tile.versions[static_cast<std::size_t>(step.index)];
      add(Event::Kind::Write, step.index, v.FirstShared(), false);
    }
    if (step.kind == Kind::Arrive) {
      // What was on its way is written by now, and in no other stretch that others may rely on.
      for (int v = 0; v < static_cast<int>(tile.versions.size()); ++v) {
        if (tile.versions[static_cast<std::size_t>(v)].async) add(Event::Kind::Write, v, 1, false);
      }
    }
    if (step.kind != Kind::Compute) continue;
    const auto op = static_cast<std::size_t>(step.index);
    for (const auto& [version, age] : exchanges[op]) {
      add(Event::Kind::Read, version, age, tile.ops[op].wall.has_value());
    }
  }
  return events;
}

/// Runs some steps of the stream, for all threads at once.
class Simulation {
 public:
  explicit Simulation(const Tile& tile) {
    std::size_t cells = 0;
    for (const SharedRegion& region : tile.regions) cells += static_cast<std::size_t>(region.slots);
    cells_.resize(cells);
  }

  /// Runs `count` more steps. True where a hazard is found.
  bool Run(const std::vector<Event>& events, int count, bool beyond_walls) {
    for (; count > 0; --count, ++step_) {
      for (const Event& event : events) {
        if (event.kind == Event::Kind::Barrier) ++stretch_;
        if (Meets(event, beyond_walls)) return true;
      }
    }
    return false;
  }
  /// The same as far as the first barrier.
  bool RunToBarrier(const std::vector<Event>& events, int count) {
    for (; count > 0; --count, ++step_) {
      for (const Event& event : events) {
        if (event.kind == Event::Kind::Barrier) return false;
        if (Meets(event, false)) return true;
      }
    }
    return false;
  }

 private:
  /// True where the event is a hazard.
  bool Meets(const Event& event, bool beyond_walls) {
    if (event.kind == Event::Kind::Barrier || (beyond_walls && event.at_wall)) return false;
    constexpr int kPositive = 1 << 20;  // keeps the remainder positive in the first steps
    const int plane = (kPositive * event.slots + step_ - event.age) % event.slots;
    Cell& cell = cells_[static_cast<std::size_t>(event.first) + static_cast<std::size_t>(plane)];
    if (event.kind == Event::Kind::Write) {
      cell.written = stretch_;
      return cell.read == stretch_;
    }
    cell.read = stretch_;
    return cell.written == stretch_;
  }

  std::vector<Cell> cells_;  ///< by region and plane
  int step_ = 0;
  int stretch_ = 0;
};

/// Steps after which every plane of shared memory has been written and overwritten.
int EnoughSteps(const Tile& tile) {
  int steps = 1;
  if (!tile.stream) return steps;
  for (const SharedRegion& region : tile.regions) steps = std::max(steps, 2 * region.slots + 2);
  return steps;
}

/// The same where stretches end in each step: planes of one region go around together, so that what
/// meets in two steps meets in any two that follow each other.
int EnoughSteps(const Tile& tile, const std::vector<Event>& events) {
  const bool together = std::all_of(events.begin(), events.end(), [&](const Event& event) {
    return event.kind == Event::Kind::Barrier || event.slots == event.region_slots;
  });
  const bool ends = std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.kind == Event::Kind::Barrier;
  });
  return together && ends ? std::min(2, EnoughSteps(tile)) : EnoughSteps(tile);
}

/// `events`: of the tile's steps.
bool FindsHazard(const std::vector<Event>& events, const Tile& tile) {
  return Simulation(tile).Run(events, EnoughSteps(tile, events), false);
}

/// A walk along the stream takes free steps for some planes in its middle. What comes behind the
/// first barrier after those depends on none of them. `all` and `free`: events of the tile's steps
/// and of its free ones.
bool FindsHazardInFree(const std::vector<Event>& all, const std::vector<Event>& free,
                       const Tile& tile) {
  const int enough = EnoughSteps(tile);
  Simulation walk(tile);
  if (tile.stream && walk.Run(all, EnoughSteps(tile, all), false)) return true;
  for (int count = 1; count <= enough; ++count) {
    if (walk.Run(free, 1, true)) return true;
    if (tile.stream && Simulation(walk).RunToBarrier(all, enough)) return true;
  }
  return false;
}

/// Leaves out each barrier of the steps that can be, tried from the last to the first or the other
/// way. `events`: theirs. `finds_hazard(events)` says whether others need one that is left out.
template <typename FindsHazard>
void RemoveNeedless(std::vector<Event> events, std::vector<TileStep>& steps, bool from_last,
                    FindsHazard finds_hazard) {
  std::vector<std::ptrdiff_t> barriers;  // where their events are
  for (std::size_t n = 0; n < events.size(); ++n) {
    if (events[n].kind == Event::Kind::Barrier) barriers.push_back(static_cast<std::ptrdiff_t>(n));
  }
  std::vector<bool> needed(barriers.size());
  std::ptrdiff_t removed = 0;
  for (std::size_t n = 0; n < barriers.size(); ++n) {
    const std::size_t barrier = from_last ? barriers.size() - 1 - n : n;
    const auto at = events.begin() + barriers[barrier] - (from_last ? 0 : removed);
    const auto next = events.erase(at);
    needed[barrier] = finds_hazard(std::as_const(events));
    if (needed[barrier]) {
      events.insert(next, Event{});
    } else {
      ++removed;
    }
  }
  std::size_t barrier = 0;
  std::erase_if(steps, [&](const TileStep& step) {
    return step.kind == Kind::Barrier && !needed[barrier++];
  });
}

/// True where only operators at walls read the version in shared memory, and no step without tests
/// has to leave it there for a later one.
bool ServesOnlyWalls(const Exchanges& exchanges, const Tile& tile, int version) {
  const TileVersion& v = tile.versions[static_cast<std::size_t>(version)];
  if (v.FirstShared() != v.LastShared()) return false;
  for (std::size_t op = 0; op < exchanges.size(); ++op) {
    const auto& those = exchanges[op];
    const auto at = std::find(those.begin(), those.end(), std::pair(version, v.FirstShared()));
    if (!tile.ops[op].wall && at != those.end()) return false;
  }
  return true;
}

void ListFreeSteps(const Exchanges& exchanges, Tile& tile) {
  tile.free_steps.clear();
  for (const TileStep& step : tile.steps) {
    if (step.kind == Kind::Publish && ServesOnlyWalls(exchanges, tile, step.index)) continue;
    tile.free_steps.push_back(step);
  }
  if (tile.free_steps == tile.steps) return;
  const std::vector<Event> all = EventsOf(tile.steps, exchanges, tile);
  RemoveNeedless(
      EventsOf(tile.free_steps, exchanges, tile), tile.free_steps, true,
      [&](const std::vector<Event>& free) { return FindsHazardInFree(all, free, tile); });
}

std::vector<TileStep> WithAllBarriers(const Tile& tile) {
  std::vector<TileStep> all;
  for (const TileStep& step : tile.steps) {
    if (step.kind == Kind::Barrier) continue;
    const bool after_publish = !all.empty() && tile.WritesShared(all.back());
    const bool publish = tile.WritesShared(step);
    if ((publish && !after_publish) || step.kind == Kind::Compute)
      all.push_back({Kind::Barrier, 0});
    all.push_back(step);
  }
  return all;
}

}  // namespace

bool HasHazard(const std::vector<std::vector<TileRead>>& reads, const Tile& tile) {
  const Exchanges exchanges = FindExchanges(reads, tile);
  const std::vector<Event> all = EventsOf(tile.steps, exchanges, tile);
  return FindsHazard(all, tile) ||
         FindsHazardInFree(all, EventsOf(tile.free_steps, exchanges, tile), tile);
}

void PlaceBarriers(const std::vector<std::vector<TileRead>>& reads, Tile& tile) {
  tile.steps = WithAllBarriers(tile);
  const Exchanges exchanges = FindExchanges(reads, tile);
  const std::vector<TileStep> all = tile.steps;
  const std::vector<Event> events = EventsOf(all, exchanges, tile);
  const auto finds_hazard = [&](const std::vector<Event>& left) { return FindsHazard(left, tile); };
  RemoveNeedless(events, tile.steps, false, finds_hazard);
  // Of two or more another order may need fewer.
  if (const int count = CountBarriers(tile); count > 1) {
    std::vector<TileStep> forward = std::exchange(tile.steps, all);
    RemoveNeedless(events, tile.steps, true, finds_hazard);
    if (CountBarriers(tile) >= count) tile.steps = std::move(forward);
  }
  ListFreeSteps(exchanges, tile);
}

int CountBarriers(const Tile& tile) {
  return static_cast<int>(
      std::count_if(tile.steps.begin(), tile.steps.end(),
                    [](const TileStep& step) { return step.kind == Kind::Barrier; }));
}

bool LoadsInOrder(const graph::Graph& graph, const Tile& tile) {
  const bool loads =
      std::any_of(tile.versions.begin(), tile.versions.end(),
                  [](const TileVersion& version) { return version.loaded && !version.async; });
  return loads && tile.stream && !tile.pipeline && CountBarriers(tile) > 0 &&
         !UsesArriving(graph, tile);
}

}  // namespace stencilgen::plan
