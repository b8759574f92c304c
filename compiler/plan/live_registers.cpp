#include "plan/live_registers.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <vector>

namespace stencilgen::plan {
namespace {

using graph::Graph;
using graph::Operator;

class StepFollower {
 public:
  StepFollower(const Graph& graph, const Tile& tile) : graph_(graph), tile_(tile) {
    for (const TileVersion& version : tile.versions) ranges_.emplace_back(version.planes.size());
  }

  LiveRegisters Run() {
    const auto steps = static_cast<int>(tile_.steps.size());
    SetBeginnings(steps);
    for (int s = 0; s < steps; ++s) SetUses(tile_.steps[static_cast<std::size_t>(s)], s);
    LiveRegisters most;
    for (int s = 0; s < steps; ++s) {
      const TileStep& step = tile_.steps[static_cast<std::size_t>(s)];
      LiveRegisters here;
      here.planes = PlanesAt(s);
      here.sums = Sums();
      if (step.kind == TileStep::Kind::Compute) here.fetched = WordsFetched(step.index);
      if (here.Total() >= most.Total()) most = here;
    }
    return most;
  }

 private:
  /// Steps over which a plane holds registers; none where `first` > `last`.
  struct Range {
    int first = 1, last = 0;
  };

  ScalarType TypeOf(int version) const {
    const graph::VersionId id = tile_.versions[static_cast<std::size_t>(version)].version;
    return graph_.arrays[graph_.versions[id].array].type;
  }
  const Operator& OperatorAt(int op) const {
    return std::get<Operator>(graph_.nodes[tile_.ops[static_cast<std::size_t>(op)].node]);
  }

  void SetBeginnings(int steps) {
    for (std::size_t v = 0; v < ranges_.size(); ++v) {
      const auto& planes = tile_.versions[v].planes;
      for (std::size_t age = 0; age < planes.size(); ++age) {
        if (!planes[age].registers) continue;
        ranges_[v][age].first = age == 0 ? steps : 0;
        ranges_[v][age].last = age + 1 < planes.size() && planes[age + 1].registers ? steps : -1;
      }
    }
  }
  void Use(int version, int age, int step) {
    Range& range = ranges_[static_cast<std::size_t>(version)][static_cast<std::size_t>(age)];
    range.last = std::max(range.last, step);
  }
  void Make(int version, int step) {
    Range& range = ranges_[static_cast<std::size_t>(version)][0];
    range.first = std::min(range.first, step);
    range.last = std::max(range.last, step);
  }
  void SetUses(const TileStep& step, int s) {
    switch (step.kind) {
      case TileStep::Kind::Load:
        if (!tile_.versions[static_cast<std::size_t>(step.index)].async) Make(step.index, s);
        break;
      case TileStep::Kind::Publish:
        Use(step.index, tile_.versions[static_cast<std::size_t>(step.index)].FirstShared(), s);
        break;
      case TileStep::Kind::Compute:
        Make(tile_.Find(OperatorAt(step.index).result), s);
        for (const TileRead& read : FindReads(graph_, tile_, step.index)) {
          const auto& version = tile_.versions[static_cast<std::size_t>(read.version)];
          if (version.planes[static_cast<std::size_t>(read.age)].registers) {
            Use(read.version, read.age, s);
          }
        }
        break;
      case TileStep::Kind::Store:
        Use(tile_.Find(tile_.stores[static_cast<std::size_t>(step.index)].version), 0, s);
        break;
      case TileStep::Kind::HandOver: {
        const int store = tile_.pipeline->hand_overs[static_cast<std::size_t>(step.index)].store;
        Use(tile_.Find(tile_.stores[static_cast<std::size_t>(store)].version), 0, s);
        break;
      }
      case TileStep::Kind::TakeOver:  // into the registers that the first stage loads
      case TileStep::Kind::LoadRim:
      case TileStep::Kind::Arrive:
      case TileStep::Kind::Barrier:
        break;
    }
  }

  int PlanesAt(int s) const {
    int words = 0;
    for (std::size_t v = 0; v < ranges_.size(); ++v) {
      for (const Range& range : ranges_[v]) {
        if (range.first <= s && s <= range.last) {
          words += RegistersOf(TypeOf(static_cast<int>(v))) * tile_.Points();
        }
      }
    }
    return words;
  }
  int Sums() const {
    int words = 0;
    for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
      if (!tile_.ops[op].scatter) continue;
      const int result = tile_.Find(OperatorAt(static_cast<int>(op)).result);
      const auto sums = static_cast<int>(tile_.ops[op].scatter->parts.size()) - 1;
      words += sums * RegistersOf(TypeOf(result)) * tile_.Points();
    }
    return words;
  }

  /// What the code of one point gets from elsewhere than its thread's planes.
  int WordsFetched(int op) const {
    std::set<std::tuple<int, int, std::array<std::int64_t, 3>>> fetched;
    int words = 0;
    for (const TileRead& read : FindReads(graph_, tile_, op)) {
      if (PathOf(tile_, read, {0, 0, 0}) == ReadPath::Register) continue;
      if (fetched.insert({read.version, read.age, read.offset}).second) {
        words += RegistersOf(TypeOf(read.version));
      }
    }
    return words;
  }

  const Graph& graph_;
  const Tile& tile_;
  std::vector<std::vector<Range>> ranges_;  ///< by version and age
};

}  // namespace

int RegistersOf(ScalarType type) {
  return std::max(1, static_cast<int>(SizeInBytes(type)) / 4);
}

LiveRegisters FindLiveRegisters(const Graph& graph, const Tile& tile) {
  return StepFollower(graph, tile).Run();
}

}  // namespace stencilgen::plan
