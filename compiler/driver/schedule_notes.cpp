#include "driver/schedule_notes.h"

#include <algorithm>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "plan/build_tile.h"
#include "plan/choose_hexagon.h"

namespace stencilgen::driver {
namespace {

using plan::Kernel;

class SplitFinder {
 public:
  SplitFinder(const plan::Plan& plan, const PipelineOptions& options)
      : plan_(plan), options_(options) {}

  std::vector<std::string> Run() {
    const bool steps_wanted = options_.given.time_tile && options_.time_tile > 1;
    const bool fusion_wanted =
        options_.given.fusion && options_.schedule.fusion == plan::Fusion::Max;
    if (steps_wanted || fusion_wanted) Visit(plan_.steps, fusion_wanted, steps_wanted);
    return std::move(notes_);
  }

 private:
  /// `wanted`: these steps should be one kernel; `in_loops`: the bodies of their loops should be.
  void Visit(const std::vector<plan::Step>& steps, bool wanted, bool in_loops) {
    const Kernel* previous = nullptr;
    bool noted = false;
    for (const plan::Step& step : steps) {
      if (const auto* repeat = std::get_if<plan::Repeat>(&step)) {
        const bool in_tiles = in_loops && !repeat->turns.remainder && !EndsEarly(*repeat);
        Visit(repeat->body, wanted || in_tiles, in_loops);
        previous = nullptr;
      }
      const auto* launch = std::get_if<plan::Launch>(&step);
      if (launch == nullptr) continue;
      const Kernel& kernel = plan_.kernels[launch->kernel];
      if (wanted && previous != nullptr && !noted) noted = Note(*previous, kernel);
      previous = &kernel;
    }
  }

  /// Notes that a loop cannot run in tiles of several turns because of its condition.
  bool EndsEarly(const plan::Repeat& repeat) {
    if (!repeat.loop.Valid() || !graph::LoopOf(plan_.graph, repeat.loop).stop) return false;
    if (repeat.band || repeat.turns.divisor > 1) return true;  // turns between looks are in tiles
    notes_.push_back(
        fmt::format("--time-tile {}: the loop over {} turns runs turn by turn: a condition may end "
                    "it after any "
                    "of them",
                    options_.time_tile,
                    graph::ToString(repeat.turns.count, graph::ParameterNames(plan_.graph))));
    return true;
  }

  bool Note(const Kernel& first, const Kernel& second) {
    constexpr std::size_t kMostNotes = 3;
    const std::string reason = Reason(first, second);
    if (reason.empty() || notes_.size() == kMostNotes) return false;
    const bool by_steps = options_.given.time_tile && options_.time_tile > 1;
    const std::string request =
        by_steps ? fmt::format("--time-tile {}", options_.time_tile) : "--fusion max";
    notes_.push_back(
        fmt::format("{}: {} and {} are two kernels: {}", request, first.name, second.name, reason));
    return true;
  }

  /// Why the second kernel's first operator is not in the first kernel; empty where that is plain.
  std::string Reason(const Kernel& first, const Kernel& second) const {
    const plan::Schedule& schedule = first.schedule;
    if (schedule.fusion == plan::Fusion::None && options_.given.fusion) {
      return "--fusion none keeps statements apart";
    }
    if (!schedule.shared_memory && !schedule.shuffle && options_.given.shared_memory) {
      return "without shared memory there are no tiles";
    }
    const bool tiles = schedule.shared_memory || schedule.shuffle;
    if (schedule.fusion == plan::Fusion::Greedy) return "greedy fusion gains nothing by one";
    if (!tiles || schedule.fusion == plan::Fusion::None) return "one is estimated to take longer";
    return RefusalBetween(plan_, first, second);
  }

  const plan::Plan& plan_;
  const PipelineOptions& options_;
  std::vector<std::string> notes_;
};

}  // namespace

namespace {

void NoteLoopsWithout(const plan::Plan& plan, const std::vector<plan::Step>& steps,
                      const plan::HexagonWish& wish, std::vector<std::string>& notes) {
  for (const plan::Step& step : steps) {
    const auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat == nullptr || !repeat->loop.Valid() || repeat->band) continue;
    const bool nests = std::any_of(
        repeat->body.begin(), repeat->body.end(),
        [](const plan::Step& each) { return std::holds_alternative<plan::Repeat>(each); });
    if (nests) {
      NoteLoopsWithout(plan, repeat->body, wish, notes);
    } else if (const std::string reason = plan::WhyNoHexagon(plan, *repeat, wish);
               !reason.empty()) {
      notes.push_back(fmt::format(
          "--shape hexagon: the loop over {} turns runs step by step: {}",
          graph::ToString(repeat->turns.count, graph::ParameterNames(plan.graph)), reason));
    }
  }
}

}  // namespace

std::vector<std::string> FindLoopsWithoutHexagons(const ChosenPlan& chosen) {
  std::vector<std::string> notes;
  const plan::Schedule& schedule = chosen.chosen.schedule;
  NoteLoopsWithout(
      chosen.plan, chosen.plan.steps,
      {chosen.chosen.time_tile, {schedule.block[0], schedule.block[1]}, schedule.shared_limit},
      notes);
  return notes;
}

std::vector<std::string> FindSplitKernels(const plan::Plan& plan, const PipelineOptions& options) {
  return SplitFinder(plan, options).Run();
}

std::string RefusalBetween(const plan::Plan& plan, const Kernel& first, const Kernel& second) {
  std::vector<graph::NodeId> ops = first.ops;
  ops.push_back(second.ops.front());
  std::vector<graph::VersionId> stored = plan::StoredVersions(plan, first);
  stored.push_back(std::get<graph::Operator>(plan.graph.nodes[ops.back()]).result);
  const auto built = plan::BuildTile(plan.graph, ops, stored, {}, first.schedule);
  const auto* refusal = std::get_if<plan::TileRefusal>(&built);
  return refusal == nullptr ? "" : refusal->reason;
}

}  // namespace stencilgen::driver
