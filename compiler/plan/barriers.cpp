#include "plan/barriers.h"

#include <algorithm>
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

/// Runs some steps of the stream, for all threads at once.
class Simulation {
 public:
  Simulation(const Exchanges& exchanges, const Tile& tile) : exchanges_(exchanges), tile_(tile) {
    for (const SharedRegion& region : tile.regions) {
      cells_.emplace_back(static_cast<std::size_t>(region.slots));
    }
  }

  /// Runs `count` more steps. True where a hazard is found.
  bool Run(const std::vector<TileStep>& steps, int count, bool beyond_walls) {
    for (; count > 0; --count, ++step_) {
      for (const TileStep& each : steps) {
        if (each.kind == Kind::Barrier) ++stretch_;
        if (tile_.WritesShared(each) && Write(step_, each.index)) return true;
        if (each.kind == Kind::Arrive && Land(step_)) return true;
        if (each.kind != Kind::Compute) continue;
        if (beyond_walls && tile_.ops[static_cast<std::size_t>(each.index)].wall) continue;
        if (Read(step_, each.index)) return true;
      }
    }
    return false;
  }

 private:
  Cell& At(int step, int version, int age) {
    const TileVersion& v = tile_.versions[static_cast<std::size_t>(version)];
    constexpr int kPositive = 1 << 20;  // keeps the remainder positive in the first steps
    const int plane = kPositive * v.slots + step - age;
    return cells_[static_cast<std::size_t>(v.region)][static_cast<std::size_t>(plane % v.slots)];
  }
  /// What was on its way is written by now, and in no other stretch that others may rely on.
  bool Land(int step) {
    bool hazard = false;
    for (int v = 0; v < static_cast<int>(tile_.versions.size()); ++v) {
      if (!tile_.versions[static_cast<std::size_t>(v)].async) continue;
      Cell& cell = At(step, v, 1);
      cell.written = stretch_;
      hazard = hazard || cell.read == stretch_;
    }
    return hazard;
  }
  bool Write(int step, int version) {
    Cell& cell = At(step, version, tile_.versions[static_cast<std::size_t>(version)].FirstShared());
    cell.written = stretch_;
    return cell.read == stretch_;
  }
  bool Read(int step, int op) {
    bool hazard = false;
    for (const auto& [version, age] : exchanges_[static_cast<std::size_t>(op)]) {
      Cell& cell = At(step, version, age);
      cell.read = stretch_;
      hazard = hazard || cell.written == stretch_;
    }
    return hazard;
  }

  const Exchanges& exchanges_;
  const Tile& tile_;
  std::vector<std::vector<Cell>> cells_;  ///< by region and plane
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

bool FindsHazard(const Exchanges& exchanges, const Tile& tile) {
  return Simulation(exchanges, tile).Run(tile.steps, EnoughSteps(tile), false);
}

/// A walk along the stream takes free steps for some planes in its middle.
bool FindsHazardInFree(const Exchanges& exchanges, const Tile& tile) {
  const int enough = EnoughSteps(tile);
  for (int free = 1; free <= enough; ++free) {
    Simulation simulation(exchanges, tile);
    if (tile.stream && simulation.Run(tile.steps, enough, false)) return true;
    if (simulation.Run(tile.free_steps, free, true)) return true;
    if (tile.stream && simulation.Run(tile.steps, enough, false)) return true;
  }
  return false;
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
  for (std::size_t place = tile.free_steps.size(); place-- > 0;) {
    if (tile.free_steps[place].kind != Kind::Barrier) continue;
    const auto at = tile.free_steps.begin() + static_cast<std::ptrdiff_t>(place);
    const TileStep barrier = *at;
    tile.free_steps.erase(at);
    if (FindsHazardInFree(exchanges, tile)) {
      tile.free_steps.insert(tile.free_steps.begin() + static_cast<std::ptrdiff_t>(place), barrier);
    }
  }
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

/// Leaves out each barrier that can be, tried from the last to the first or the other way.
void RemoveNeedless(const Exchanges& exchanges, Tile& tile, bool from_last) {
  const std::size_t count = tile.steps.size();
  std::size_t removed = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t place = from_last ? count - 1 - n : n - removed;
    if (tile.steps[place].kind != Kind::Barrier) continue;
    const auto at = tile.steps.begin() + static_cast<std::ptrdiff_t>(place);
    const TileStep barrier = *at;
    tile.steps.erase(at);
    if (FindsHazard(exchanges, tile)) {
      tile.steps.insert(tile.steps.begin() + static_cast<std::ptrdiff_t>(place), barrier);
    } else {
      ++removed;
    }
  }
}

}  // namespace

bool HasHazard(const std::vector<std::vector<TileRead>>& reads, const Tile& tile) {
  const Exchanges exchanges = FindExchanges(reads, tile);
  return FindsHazard(exchanges, tile) || FindsHazardInFree(exchanges, tile);
}

void PlaceBarriers(const std::vector<std::vector<TileRead>>& reads, Tile& tile) {
  tile.steps = WithAllBarriers(tile);
  const Exchanges exchanges = FindExchanges(reads, tile);
  const std::vector<TileStep> all = tile.steps;
  RemoveNeedless(exchanges, tile, false);
  // Of two or more another order may need fewer.
  if (const int count = CountBarriers(tile); count > 1) {
    std::vector<TileStep> forward = std::exchange(tile.steps, all);
    RemoveNeedless(exchanges, tile, true);
    if (CountBarriers(tile) >= count) tile.steps = std::move(forward);
  }
  ListFreeSteps(exchanges, tile);
}

int CountBarriers(const Tile& tile) {
  return static_cast<int>(
      std::count_if(tile.steps.begin(), tile.steps.end(),
                    [](const TileStep& step) { return step.kind == Kind::Barrier; }));
}

}  // namespace stencilgen::plan
