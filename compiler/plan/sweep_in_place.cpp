#include "plan/sweep_in_place.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "graph/walk.h"
#include "plan/verify.h"

namespace stencilgen::plan {
namespace {

using graph::Operator;

bool HaveOneShape(const Buffer& a, const Buffer& b) {
  return SameElements(a, b) && a.extents == b.extents;
}

/// True where each of the operator's iterators moves one dimension of what it writes, the first
/// iterator the first: planes along it are one after the other in memory.
bool WritesPlanes(const Operator& op) {
  constexpr std::size_t kLeast = 2;  // a plane of one element is no unit of work
  if (op.iterators.size() < kLeast || op.target.size() != op.iterators.size()) return false;
  std::set<int> seen;
  for (const graph::Index& index : op.target) {
    if (index.coefficient != 1 || !index.offset.IsConstant()) return false;
    if (index.iterator < 0 || !seen.insert(index.iterator).second) return false;
  }
  return op.target.front().iterator == op.iterators.front();
}

/// How far below and above its own place along a dimension a point reads.
struct Distance {
  std::int64_t below = 0, above = 0;
};

/// Of an element, where the target is at that index. Empty where it is no number.
std::optional<Distance> DistanceAlong(const graph::Access& access, std::size_t dimension,
                                      const graph::Index& target) {
  const graph::Index& index = access.indices[dimension];
  const bool moves =
      index.iterator == target.iterator && index.coefficient == 1 && index.offset.IsConstant();
  const auto mode =
      access.boundary.empty() ? graph::BoundaryKind::None : access.boundary[dimension].kind;
  if (!moves || mode == graph::BoundaryKind::Wrap) return std::nullopt;
  if (mode == graph::BoundaryKind::None) {
    const std::int64_t distance = index.offset.constant - target.offset.constant;
    return Distance{-distance, distance};
  }
  // A place beyond an end is another one inside, no further from the iterator's own.
  const std::int64_t reach = std::abs(index.offset.constant) + std::abs(target.offset.constant);
  return Distance{reach, reach};
}

/// How many planes below and above its own a point reads of the array. Empty where that is no
/// number.
std::optional<HeldPlanes> ReachOf(const Plan& plan, const Operator& op, BufferId array) {
  HeldPlanes held;
  held.home = array;
  for (const graph::ExprId id : graph::Accesses(plan.graph, op)) {
    const auto& access = std::get<graph::Access>(plan.graph.exprs[id].node);
    if (access.indices.empty() || plan.buffer_of[access.version.index] != array) continue;
    const std::optional<Distance> distance = DistanceAlong(access, 0, op.target.front());
    if (!distance) return std::nullopt;
    held.below = std::max(held.below, distance->below);
    held.above = std::max(held.above, distance->above);
  }
  return held;
}

/// True where the operator reads the array at other points than it writes.
bool ReadsOtherPoints(const Plan& plan, const Operator& op, BufferId array) {
  const std::vector<graph::ExprId> accesses = graph::Accesses(plan.graph, op);
  return std::any_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
    const auto& access = std::get<graph::Access>(plan.graph.exprs[id].node);
    return !access.indices.empty() && plan.buffer_of[access.version.index] == array &&
           access.indices != op.target;
  });
}

/// The planes that a kernel must hold to write `home` in place, if it can, where they wait in
/// `waiting`.
std::optional<HeldPlanes> FindHeld(const Plan& plan, const Kernel& kernel, BufferId home,
                                   BufferId waiting) {
  const Operator& op = graph::OperatorOf(plan.graph, kernel.ops.front());
  if (kernel.ops.size() != 1 || !kernel.nest || kernel.matrix || !WritesPlanes(op)) {
    return std::nullopt;
  }
  // Blocks of planes are whole nests.
  if (kernel.nest->points.front() > 1) return std::nullopt;
  std::optional<HeldPlanes> held = ReachOf(plan, op, home);
  if (held) held->buffer = waiting;
  return held;
}

/// What is wrong with planes that the operator holds in a nest; empty: nothing.
std::string VerifyPlanes(const Plan& plan, const Operator& op, const HeldPlanes& held,
                         const LoopNest& nest) {
  if (!held.home.Valid() || !held.buffer.Valid() || held.buffer == held.home) {
    return "planes are held nowhere";
  }
  if (plan.buffers[held.buffer].home.Valid() ||
      !HaveOneShape(plan.buffers[held.buffer], plan.buffers[held.home])) {
    return "planes are held where they do not fit";
  }
  for (const graph::ExprId id : graph::Accesses(plan.graph, op)) {
    const auto& access = std::get<graph::Access>(plan.graph.exprs[id].node);
    if (!access.indices.empty() && plan.buffer_of[access.version.index] == held.buffer) {
      return "planes are held in what the kernel reads";
    }
  }
  if (!WritesPlanes(op)) return "what the kernel writes has no planes";
  const std::optional<HeldPlanes> reach = ReachOf(plan, op, held.home);
  if (!reach || reach->below > held.below || reach->above > held.above) {
    return "the kernel reads planes that are overwritten";
  }
  const bool tiled =
      std::any_of(nest.tile.begin(), nest.tile.end(), [](int points) { return points != 0; });
  const bool strips = FindRowsHeld(plan, op, held).has_value();
  if (tiled && (!strips || nest.tile[1] != kTileByCache || nest.tile[2] != 0)) {
    return "planes are held in strips that cannot be";
  }
  return "";
}

/// Puts what is in one buffer of a plan into another of its shape.
class Merger {
 public:
  Merger(const Plan& plan, BufferId from, BufferId into)
      : merged_(plan), from_(from), into_(into) {}

  /// Empty where that changes what the plan does, or a kernel cannot write in place.
  std::optional<Plan> Merge() {
    if (!TakeSteps()) return std::nullopt;
    for (BufferId& buffer : merged_.buffer_of) Replace(buffer);
    for (BufferId& buffer : merged_.results) Replace(buffer);
    for (const KernelId kernel : launched_) {
      if (!HoldPlanes(merged_.kernels[kernel])) return std::nullopt;
    }
    merged_.home_written[merged_.buffers[into_].home.index] = true;
    if (!Verify(merged_).empty()) return std::nullopt;
    return std::move(merged_);
  }

 private:
  void Replace(BufferId& buffer) const {
    if (buffer == from_) buffer = into_;
  }
  bool Is(BufferId buffer) const { return buffer == from_ || buffer == into_; }

  /// Without the copies between both; false where a loop uses one of them.
  bool TakeSteps() {
    std::vector<Step> steps;
    for (const Step& step : merged_.steps) {
      if (const auto* copy = std::get_if<CopyOutside>(&step)) {
        if (Is(copy->dst) && Is(copy->src)) continue;
        if (Is(copy->dst) || Is(copy->src)) return false;
      }
      if (const auto* copy = std::get_if<CopyAll>(&step)) {
        if (Is(copy->dst) || Is(copy->src)) return false;
      }
      if (const auto* launch = std::get_if<Launch>(&step)) launched_.insert(launch->kernel);
      if (const auto* repeat = std::get_if<Repeat>(&step)) {
        if (Uses(repeat->body) || Rotates(*repeat)) return false;
      }
      steps.push_back(step);
    }
    merged_.steps = std::move(steps);
    return true;
  }

  bool Rotates(const Repeat& repeat) const {
    return std::any_of(repeat.rotation.begin(), repeat.rotation.end(),
                       [&](const auto& move) { return Is(move.first) || Is(move.second); });
  }
  bool Uses(const std::vector<Step>& steps) const {
    return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
      if (const auto* launch = std::get_if<Launch>(&step)) return Uses(launch->kernel);
      if (const auto* copy = std::get_if<CopyOutside>(&step)) {
        return Is(copy->dst) || Is(copy->src);
      }
      if (const auto* copy = std::get_if<CopyAll>(&step)) return Is(copy->dst) || Is(copy->src);
      if (const auto* assign = std::get_if<AssignScalar>(&step)) return Reads(assign->op);
      const auto* repeat = std::get_if<Repeat>(&step);
      return repeat != nullptr && (Uses(repeat->body) || Rotates(*repeat));
    });
  }
  bool Uses(KernelId kernel) const {
    const std::vector<graph::NodeId>& ops = merged_.kernels[kernel].ops;
    return std::any_of(ops.begin(), ops.end(), [&](graph::NodeId node) {
      return Is(merged_.buffer_of[graph::OperatorOf(merged_.graph, node).result.index]) ||
             Reads(node);
    });
  }
  bool Reads(graph::NodeId node) const {
    const std::vector<graph::ExprId> accesses =
        graph::Accesses(merged_.graph, graph::OperatorOf(merged_.graph, node));
    return std::any_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
      const auto& access = std::get<graph::Access>(merged_.graph.exprs[id].node);
      return Is(merged_.buffer_of[access.version.index]);
    });
  }

  /// False where the kernel overwrites what it reads elsewhere and cannot hold planes.
  bool HoldPlanes(Kernel& kernel) const {
    const bool needs = std::any_of(kernel.ops.begin(), kernel.ops.end(), [&](graph::NodeId node) {
      const Operator& op = graph::OperatorOf(merged_.graph, node);
      return merged_.buffer_of[op.result.index] == into_ && ReadsOtherPoints(merged_, op, into_);
    });
    if (!needs) return true;
    kernel.held = FindHeld(merged_, kernel, into_, from_);
    if (!kernel.held) return false;
    // Tiles are whole nests as well.
    return std::none_of(kernel.nest->tile.begin(), kernel.nest->tile.end(),
                        [](int points) { return points > 0; });
  }

  Plan merged_;
  BufferId from_, into_;
  std::set<KernelId> launched_;
};

/// Where the backgrounds are of what launches outside of loops write to the buffer.
std::set<BufferId> BackgroundsOf(const Plan& plan, BufferId buffer) {
  std::set<BufferId> found;
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    for (const graph::NodeId node : plan.kernels[launch->kernel].ops) {
      const Operator& op = graph::OperatorOf(plan.graph, node);
      if (plan.buffer_of[op.result.index] != buffer || !op.background.Valid()) continue;
      found.insert(plan.buffer_of[op.background.index]);
    }
  }
  return found;
}

/// The planes of the loop's kernel, where that alone, with the array that it reads and a second one
/// of its shape which changes places with it, is all that a turn does.
std::optional<HeldPlanes> FindSingleTurn(const Plan& plan, const Repeat& repeat) {
  const TimeBand& band = *repeat.band;
  // Tiles of a given size are what was asked for; a rank's ends are its neighbours' affair.
  const bool other = band.hexagon || band.turns > 0 || !band.ends.empty();
  const bool one = repeat.body.size() == 1 && band.launches.size() == 1 &&
                   repeat.rotation.size() == 2 && repeat.scalar_moves.empty();
  const graph::Loop& loop = graph::LoopOf(plan.graph, repeat.loop);
  if (other || !one || loop.stop || repeat.turns != graph::Turns{repeat.turns.count}) {
    return std::nullopt;
  }
  const Kernel& kernel = plan.kernels[band.launches.front()];
  const Operator& op = graph::OperatorOf(plan.graph, kernel.ops.front());
  const BufferId waiting = plan.buffer_of[op.result.index];
  if (kernel.ops.size() != 1 || !op.background.Valid() || !waiting.Valid()) return std::nullopt;
  const BufferId home = plan.buffer_of[op.background.index];
  const auto [to, from] = repeat.rotation.front();
  const bool swaps = std::minmax(to, from) == std::minmax(home, waiting);
  if (!swaps || plan.buffers[waiting].home.Valid() || !ReadsOtherPoints(plan, op, home)) {
    return std::nullopt;
  }
  return FindHeld(plan, kernel, home, waiting);
}

void SetSingleTurns(const Plan& plan, std::vector<Step>& steps) {
  for (Step& step : steps) {
    auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    SetSingleTurns(plan, repeat->body);
    if (!repeat->band) continue;
    const std::optional<HeldPlanes> held = FindSingleTurn(plan, *repeat);
    if (!held) continue;
    LoopNest nest = *plan.kernels[repeat->band->launches.front()].nest;
    nest.tile.assign(nest.tile.size(), 0);
    nest.past_caches = false;  // results wait in them
    repeat->band->single = SingleTurn{*held, std::move(nest)};
  }
}

}  // namespace

Plan SweepInPlace(Plan plan) {
  for (const BufferId from : plan.buffers.Ids()) {
    if (plan.buffers[from].home.Valid()) continue;
    const std::set<BufferId> sources = BackgroundsOf(plan, from);
    if (sources.size() != 1 || !sources.begin()->Valid()) continue;
    const BufferId into = *sources.begin();
    const bool is_home = plan.buffers[into].home.Valid();
    if (!is_home || !HaveOneShape(plan.buffers[from], plan.buffers[into])) continue;
    if (auto merged = Merger(plan, from, into).Merge()) plan = *std::move(merged);
  }
  return plan;
}

Plan SweepSingleTurns(Plan plan) {
  SetSingleTurns(plan, plan.steps);
  return plan;
}

std::optional<std::int64_t> FindRowsHeld(const Plan& plan, const Operator& op,
                                         const HeldPlanes& held) {
  constexpr std::size_t kIterators = 3;
  if (op.iterators.size() != kIterators || !WritesPlanes(op)) return std::nullopt;
  const auto moves = [&](const graph::Index& index) { return index.iterator == op.iterators[1]; };
  const auto row = std::find_if(op.target.begin(), op.target.end(), moves);
  const auto dimension = static_cast<std::size_t>(row - op.target.begin());
  std::int64_t rows = 0;
  for (const graph::ExprId id : graph::Accesses(plan.graph, op)) {
    const auto& access = std::get<graph::Access>(plan.graph.exprs[id].node);
    if (access.indices.empty() || plan.buffer_of[access.version.index] != held.home) continue;
    const std::optional<Distance> distance = DistanceAlong(access, dimension, op.target[dimension]);
    if (!distance) return std::nullopt;
    rows = std::max(rows, distance->below);
  }
  return rows;
}

std::string VerifyHeld(const Plan& plan, const Kernel& kernel) {
  if (!kernel.held) return "";
  if (kernel.ops.size() != 1) return "planes of several operators are held";
  const Operator& op = graph::OperatorOf(plan.graph, kernel.ops.front());
  if (kernel.held->home != plan.buffer_of[op.result.index]) {
    return "planes of another array are held";
  }
  return VerifyPlanes(plan, op, *kernel.held, kernel.nest.value_or(PlainNest(op.iterators.size())));
}

std::string VerifySingleTurn(const Plan& plan, const Repeat& repeat) {
  if (!repeat.band || !repeat.band->single) return "";
  const SingleTurn& single = *repeat.band->single;
  const auto held = FindSingleTurn(plan, repeat);
  if (!held || held->home != single.held.home || held->buffer != single.held.buffer) {
    return "a single turn is not all of its loop";
  }
  const Kernel& kernel = plan.kernels[repeat.band->launches.front()];
  return VerifyPlanes(plan, graph::OperatorOf(plan.graph, kernel.ops.front()), single.held,
                      single.nest);
}

}  // namespace stencilgen::plan
