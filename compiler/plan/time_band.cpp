#include "plan/time_band.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "graph/walk.h"

namespace stencilgen::plan {
namespace {

/// The elements of a buffer that a launch reads, or writes, from its point.
struct PlacedAccess {
  BufferId buffer;
  bool writes = false;
  std::vector<int> iterators;  ///< by dimension of the buffer
  /// From the iterator, smallest and largest; boundary modes fold indices back.
  std::vector<std::pair<std::int64_t, std::int64_t>> offsets;
};

struct BandLaunch {
  KernelId kernel;
  std::vector<int> iterators;
  std::vector<PlacedAccess> accesses;
};

/// `later` depends on `earlier` of `turns` turns before, over a distance along a coordinate.
struct BandDependence {
  std::size_t earlier = 0, later = 0;
  int turns = 0;
  std::int64_t least = 0, most = 0;
};

const graph::Operator& OperatorOf(const Plan& plan, graph::NodeId node) {
  return std::get<graph::Operator>(plan.graph.nodes[node]);
}

using Problem = std::string;

class BandAccesses {
 public:
  BandAccesses(const Plan& plan, const Repeat& repeat) : plan_(plan), repeat_(repeat) {}

  /// Empty, or why there is no band.
  Problem Collect() {
    if (!repeat_.scalar_moves.empty()) return "scalars change from turn to turn";
    for (const Step& step : repeat_.body) {
      const auto* launch = std::get_if<Launch>(&step);
      if (launch == nullptr) return "not every step of a turn is a loop nest";
      for (const graph::VersionId version : StoredVersions(plan_, plan_.kernels[launch->kernel])) {
        written_.insert(plan_.buffer_of[version.index]);
      }
    }
    for (const Step& step : repeat_.body) {
      const auto* launch = std::get_if<Launch>(&step);
      if (Problem problem = Add(launch->kernel); !problem.empty()) return problem;
    }
    if (launches_.empty()) return "nothing is computed";
    for (const BandLaunch& launch : launches_) {
      if (launch.iterators != launches_.front().iterators) return "statements' iterators differ";
    }
    if (launches_.front().iterators.empty()) return "statements have no iterators";
    FindPeriod();
    if (period_ > kMostPeriod) return "arrays rotate in too long a cycle";
    return CheckShapes();
  }

  const std::vector<BandLaunch>& launches() const { return launches_; }
  int period() const { return period_; }

  /// Along the n-th iterator.
  std::vector<BandDependence> Along(std::size_t n) const {
    std::vector<BandDependence> found;
    for (std::size_t later = 0; later < launches_.size(); ++later) {
      for (std::size_t earlier = 0; earlier < launches_.size(); ++earlier) {
        for (int turns = earlier < later ? 0 : 1; turns <= period_; ++turns) {
          AddAlong(n, {earlier, later, turns}, found);
        }
      }
    }
    return found;
  }

 private:
  static constexpr int kMostPeriod = 6;

  Problem Add(KernelId kernel) {
    BandLaunch launch{kernel, {}, {}};
    for (const graph::NodeId node : plan_.kernels[kernel].ops) {
      const graph::Operator& op = OperatorOf(plan_, node);
      if (launch.iterators.empty()) launch.iterators = op.iterators;
      for (const graph::ExprId id : graph::Accesses(plan_.graph, op)) {
        const auto& access = std::get<graph::Access>(plan_.graph.exprs[id].node);
        Problem problem = AddAccess(access.version, access.indices, access.boundary, false, launch);
        if (!problem.empty()) return problem;
      }
      Problem problem = AddAccess(op.result, op.target, {}, true, launch);
      if (!problem.empty()) return problem;
    }
    launches_.push_back(std::move(launch));
    return "";
  }

  /// Some launch of the loop may write the memory that the buffer has in some turn.
  bool IsWritten(BufferId buffer) const {
    return std::any_of(written_.begin(), written_.end(),
                       [&](BufferId each) { return ShareMemory(buffer, each); });
  }

  Problem AddAccess(graph::VersionId version, const std::vector<graph::Index>& indices,
                    const std::vector<graph::Boundary>& boundary, bool writes,
                    BandLaunch& launch) const {
    const BufferId buffer = plan_.buffer_of[version.index];
    if (!buffer.Valid() || indices.empty() || !IsWritten(buffer)) return "";
    PlacedAccess placed{buffer, writes, {}, {}};
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const graph::Index& index = indices[d];
      const std::string& name = plan_.buffers[buffer].name;
      if (index.iterator < 0 || index.coefficient != 1 || !index.offset.IsConstant()) {
        return fmt::format("{} is used at places that do not move with the point", name);
      }
      const auto kind = boundary.empty() ? graph::BoundaryKind::None : boundary[d].kind;
      if (kind == graph::BoundaryKind::Wrap) {
        return fmt::format("{} wraps around at its ends", name);
      }
      const std::int64_t offset = index.offset.constant;
      const std::int64_t reach = std::abs(offset);
      placed.iterators.push_back(index.iterator);
      // A place beyond an end is another one inside, no further from the point.
      placed.offsets.emplace_back(kind == graph::BoundaryKind::None ? offset : -reach,
                                  kind == graph::BoundaryKind::None ? offset : reach);
    }
    Merge(std::move(placed), launch.accesses);
    return "";
  }

  /// Of accesses that differ in their offsets, dependences go by the smallest and the largest.
  static void Merge(PlacedAccess placed, std::vector<PlacedAccess>& accesses) {
    const auto same = std::find_if(accesses.begin(), accesses.end(), [&](const PlacedAccess& each) {
      return each.buffer == placed.buffer && each.writes == placed.writes &&
             each.iterators == placed.iterators;
    });
    if (same == accesses.end()) return accesses.push_back(std::move(placed));
    for (std::size_t d = 0; d < placed.offsets.size(); ++d) {
      same->offsets[d].first = std::min(same->offsets[d].first, placed.offsets[d].first);
      same->offsets[d].second = std::max(same->offsets[d].second, placed.offsets[d].second);
    }
  }

  void FindPeriod() {
    for (const auto& [first, second] : repeat_.rotation) {
      int length = 1;
      for (BufferId at = second; at != first; at = AfterTurns(repeat_, at, 1)) ++length;
      period_ = std::lcm(period_, length);
      if (period_ > kMostPeriod) return;
    }
  }

  /// All accesses of memory have its dimensions along the same iterators.
  Problem CheckShapes() const {
    for (const BandLaunch& a : launches_) {
      for (const PlacedAccess& x : a.accesses) {
        for (const BandLaunch& b : launches_) {
          for (const PlacedAccess& y : b.accesses) {
            if (!ShareMemory(x.buffer, y.buffer)) continue;
            const std::string& name = plan_.buffers[x.buffer].name;
            if (x.iterators != y.iterators) return fmt::format("{} is used transposed", name);
            for (const int iterator : launches_.front().iterators) {
              const auto count = std::count(x.iterators.begin(), x.iterators.end(), iterator);
              if (count != 1) return fmt::format("{} has not all dimensions of the loops", name);
            }
          }
        }
      }
    }
    return "";
  }

  bool ShareMemory(BufferId a, BufferId b) const {
    BufferId each = a;
    do {
      if (each == b) return true;
      each = AfterTurns(repeat_, each, 1);
    } while (each != a);
    return false;
  }

  void AddAlong(std::size_t n, BandDependence base, std::vector<BandDependence>& found) const {
    const int iterator = launches_.front().iterators[n];
    for (const PlacedAccess& from : launches_[base.earlier].accesses) {
      for (const PlacedAccess& to : launches_[base.later].accesses) {
        if (!from.writes && !to.writes) continue;
        if (AfterTurns(repeat_, to.buffer, base.turns) != from.buffer) continue;
        const auto at = std::find(from.iterators.begin(), from.iterators.end(), iterator);
        const auto d = static_cast<std::size_t>(at - from.iterators.begin());
        base.least = from.offsets[d].first - to.offsets[d].second;
        base.most = from.offsets[d].second - to.offsets[d].first;
        found.push_back(base);
      }
    }
  }

  const Plan& plan_;
  const Repeat& repeat_;
  std::set<BufferId> written_;
  std::vector<BandLaunch> launches_;
  int period_ = 1;
};

/// Shifts by launch with which slope * turns + distance + shift[later] - shift[earlier] is never
/// negative, the smallest from 0 on; empty where there are none. `falls`: of -distance.
std::optional<std::vector<std::int64_t>> ShiftsFor(std::int64_t slope, bool falls,
                                                   const std::vector<BandDependence>& dependences,
                                                   std::size_t launches) {
  std::vector<std::int64_t> shifts(launches, 0);
  for (std::size_t round = 0; round <= launches; ++round) {
    bool changes = false;
    for (const BandDependence& each : dependences) {
      const std::int64_t distance = falls ? -each.most : each.least;
      const std::int64_t needed = shifts[each.earlier] - slope * each.turns - distance;
      if (shifts[each.later] >= needed) continue;
      shifts[each.later] = needed;
      changes = true;
    }
    if (!changes) return shifts;
  }
  return std::nullopt;
}

constexpr std::int64_t kMostSlope = 64;

/// `both`: neither u nor v falls; else u alone.
std::optional<BandSide> SideFor(const std::vector<BandDependence>& dependences,
                                std::size_t launches, bool both) {
  for (std::int64_t slope = both ? 1 : 0; slope <= kMostSlope; ++slope) {
    auto rise = ShiftsFor(slope, false, dependences, launches);
    auto fall = both ? ShiftsFor(slope, true, dependences, launches)
                     : std::vector<std::int64_t>(launches, 0);
    if (rise && fall) return BandSide{slope, *std::move(rise), *std::move(fall)};
  }
  return std::nullopt;
}

void CheckSide(std::string_view name, const BandSide& side, bool both,
               const std::vector<BandDependence>& dependences, std::size_t launches,
               std::vector<std::string>& problems) {
  if (side.rise.size() != launches || side.fall.size() != launches) {
    problems.push_back(fmt::format("{}: shifts of other launches", name));
    return;
  }
  for (const BandDependence& each : dependences) {
    const std::int64_t grown = side.slope * each.turns;
    const std::int64_t up = grown + each.least + side.rise[each.later] - side.rise[each.earlier];
    const std::int64_t down = grown - each.most + side.fall[each.later] - side.fall[each.earlier];
    if (up < 0 || (both && down < 0)) {
      problems.push_back(
          fmt::format("{}: a tile is left against a dependence of launch {} on launch {}, {} turns "
                      "before",
                      name, each.later, each.earlier, each.turns));
    }
  }
}

void AddTo(Plan& plan, std::vector<Step>& steps, int turns) {
  for (Step& step : steps) {
    auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    AddTo(plan, repeat->body, turns);
    auto band = FindTimeBand(plan, *repeat);
    if (auto* found = std::get_if<TimeBand>(&band)) {
      found->turns = turns;
      repeat->band = *std::move(found);
    }
  }
}

void CollectLoops(const std::vector<Step>& steps, std::vector<const Repeat*>& loops) {
  for (const Step& step : steps) {
    const auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    if (repeat->band) loops.push_back(repeat);
    CollectLoops(repeat->body, loops);
  }
}

}  // namespace

std::vector<const Repeat*> LoopsWithBands(const Plan& plan) {
  std::vector<const Repeat*> loops;
  CollectLoops(plan.steps, loops);
  return loops;
}

BufferId AfterTurns(const Repeat& repeat, BufferId buffer, int turns) {
  for (; turns > 0; --turns) {
    const auto at = std::find_if(repeat.rotation.begin(), repeat.rotation.end(),
                                 [&](const auto& move) { return move.first == buffer; });
    if (at == repeat.rotation.end()) return buffer;
    buffer = at->second;
  }
  return buffer;
}

std::variant<TimeBand, std::string> FindTimeBand(const Plan& plan, const Repeat& repeat) {
  BandAccesses accesses(plan, repeat);
  if (std::string problem = accesses.Collect(); !problem.empty()) return problem;
  const std::size_t launches = accesses.launches().size();
  TimeBand band;
  for (const BandLaunch& launch : accesses.launches()) band.launches.push_back(launch.kernel);
  band.period = accesses.period();
  const auto outer = SideFor(accesses.Along(0), launches, true);
  if (!outer) return "dependences reach too far";
  band.outer = *outer;
  if (accesses.launches().front().iterators.size() > 1) {
    const auto inner = SideFor(accesses.Along(1), launches, false);
    if (!inner) return "dependences reach too far";
    band.inner = *inner;
  }
  return band;
}

Plan AddTimeBands(Plan plan, int turns) {
  std::vector<Step> steps = std::move(plan.steps);
  AddTo(plan, steps, turns);
  plan.steps = std::move(steps);
  return plan;
}

std::vector<std::string> VerifyTimeBand(const Plan& plan, const Repeat& repeat) {
  const TimeBand& band = *repeat.band;
  BandAccesses accesses(plan, repeat);
  if (std::string problem = accesses.Collect(); !problem.empty()) return {problem};
  std::vector<std::string> problems;
  const std::size_t launches = accesses.launches().size();
  std::vector<KernelId> kernels;
  for (const BandLaunch& launch : accesses.launches()) kernels.push_back(launch.kernel);
  if (band.launches != kernels) problems.emplace_back("other launches than the loop's");
  if (band.period != accesses.period()) problems.emplace_back("another period than the loop's");
  CheckSide("along the first iterator", band.outer, true, accesses.Along(0), launches, problems);
  if (band.outer.slope < 1) problems.emplace_back("tiles that do not lean");
  if (accesses.launches().front().iterators.size() > 1) {
    CheckSide("along the second iterator", band.inner, false, accesses.Along(1), launches,
              problems);
  }
  return problems;
}

}  // namespace stencilgen::plan
