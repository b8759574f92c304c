#include "plan/time_pipeline.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "plan/operator_facts.h"

namespace stencilgen::plan {
namespace {

using graph::Carried;
using graph::Graph;
using graph::Operator;
using graph::VersionId;
using Kind = TileStep::Kind;

const TileVersion& Held(const Tile& tile, int version) {
  return tile.versions[static_cast<std::size_t>(version)];
}
const TileVersion& StoredBy(const Tile& tile, const HandOver& each) {
  return Held(tile, tile.Find(tile.stores[static_cast<std::size_t>(each.store)].version));
}

/// Steps from a plane's hand-over to the next stage's taking it over.
std::int64_t DelayOf(const Tile& tile, const HandOver& each) {
  return tile.pipeline->shift + Held(tile, each.version).lag - StoredBy(tile, each).lag;
}

/// The launch that is all that the loop does; none where there is more.
const Launch* OnlyLaunch(const Plan& plan, const Repeat& repeat) {
  if (!repeat.loop.Valid() || repeat.band || !repeat.scalar_moves.empty()) return nullptr;
  const graph::Loop& loop = graph::LoopOf(plan.graph, repeat.loop);
  if (loop.stop || loop.turn.Valid() || repeat.body.size() != 1) return nullptr;
  return std::get_if<Launch>(&repeat.body.front());
}

/// Makes a tile the stages of a pipeline.
class Maker {
 public:
  Maker(const Graph& graph, const graph::Loop& loop, Tile tile)
      : graph_(graph), loop_(loop), tile_(std::move(tile)) {}

  /// None where the tile cannot be.
  std::optional<Tile> Make(int stages, const Schedule& schedule) {
    if (!HasShape() || !FindHandOvers()) return std::nullopt;
    for (const TileStore& store : tile_.stores) {
      if (!KeepBackground(store.version)) return std::nullopt;
    }
    SetShift(stages);
    tile_.pipeline->async = schedule.prefetch == Prefetch::Async && MayCopy();
    GrowHalos(stages - 1);
    PlaceSlots();
    AddSteps(tile_.steps);
    AddSteps(tile_.free_steps);
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream != d && tile_.Stored(d) < 1) return std::nullopt;
    }
    if (tile_.shared_bytes > schedule.shared_limit) return std::nullopt;
    return std::move(tile_);
  }

 private:
  const Operator& At(std::size_t op) const { return graph::OperatorOf(graph_, tile_.ops[op].node); }

  /// Nothing is in shared memory yet, and no operator reads memory: each stage has its own planes.
  bool HasShape() const {
    if (!tile_.stream || !tile_.shuffle || tile_.Threads() != tile_.warp) return false;
    if (!tile_.regions.empty() || !tile_.rims.empty()) return false;
    for (const TileVersion& version : tile_.versions) {
      if (version.async || version.wraps != std::array<bool, 3>{}) return false;
    }
    for (std::size_t k = 0; k < tile_.ops.size(); ++k) {
      const bool plain = !tile_.ops[k].wall && At(k).domain.guards.empty();
      if (!plain || ReadsMemory(graph_, tile_, static_cast<int>(k))) return false;
    }
    return true;
  }

  /// Each array that the loop carries is loaded and stored, and nothing else is stored.
  bool FindHandOvers() {
    Pipeline pipeline;
    std::set<int> stores;
    for (const Carried& carried : loop_.carried) {
      const int version = tile_.Find(carried.entry);
      const auto store =
          std::find_if(tile_.stores.begin(), tile_.stores.end(),
                       [&](const TileStore& each) { return each.version == carried.next; });
      if (version < 0 || store == tile_.stores.end()) return false;
      const int number = static_cast<int>(store - tile_.stores.begin());
      if (!Held(tile_, version).loaded || !stores.insert(number).second) return false;
      pipeline.hand_overs.push_back({version, number});
    }
    tile_.pipeline = std::move(pipeline);
    return !stores.empty() && stores.size() == tile_.stores.size();
  }

  /// The next stage takes over points that the version's operator does not compute, too.
  bool KeepBackground(VersionId version) {
    for (std::size_t k = 0; k < tile_.ops.size(); ++k) {
      const Operator& op = At(k);
      if (op.result != version) continue;
      if (!op.background.Valid() || CoversArray(graph_, op)) return true;
      tile_.ops[k].background = true;
      const auto read = FindBackground(graph_, tile_, static_cast<int>(k));
      if (!read || read->age < 0) return false;
      const TileVersion& source = Held(tile_, read->version);
      const auto age = static_cast<std::size_t>(read->age);
      if (age >= source.planes.size() || !source.planes[age].registers) return false;
      return source.loaded || KeepBackground(op.background);
    }
    return false;
  }

  bool MayCopy() const {
    constexpr int kLeastBytes = 4;
    const auto& handed = tile_.pipeline->hand_overs;
    return tile_.dimensions == 2 &&
           std::all_of(handed.begin(), handed.end(), [&](const HandOver& each) {
             const auto& array =
                 graph_.arrays[graph_.versions[Held(tile_, each.version).version].array];
             return array.format == ElementFormat::Plain && SizeInBytes(array.type) >= kLeastBytes;
           });
  }

  void SetShift(int stages) {
    tile_.pipeline->stages = stages;
    for (const HandOver& each : tile_.pipeline->hand_overs) {
      tile_.pipeline->shift = std::max(
          tile_.pipeline->shift, StoredBy(tile_, each).lag - Held(tile_, each.version).lag + 1);
    }
  }

  /// What a stage makes is all that the next one takes over: halos grow from stage to stage by what
  /// the turns of one need.
  void GrowHalos(int later) {
    Halo of_stage;
    for (const HandOver& each : tile_.pipeline->hand_overs) {
      const Halo& halo = Held(tile_, each.version).halo;
      for (std::size_t d = 0; d < tile_.dimensions; ++d) {
        of_stage.lo[d] = std::max(of_stage.lo[d], halo.lo[d]);
        of_stage.hi[d] = std::max(of_stage.hi[d], halo.hi[d]);
      }
    }
    const auto grow = [&](Halo& halo) {
      for (std::size_t d = 0; d < tile_.dimensions; ++d) {
        halo.lo[d] += later * of_stage.lo[d];
        halo.hi[d] += later * of_stage.hi[d];
      }
    };
    grow(tile_.halo);
    for (TileVersion& version : tile_.versions) grow(version.halo);
  }

  void PlaceSlots() {
    for (HandOver& each : tile_.pipeline->hand_overs) {
      each.slots = static_cast<int>(DelayOf(tile_, each)) + 1;
      each.byte_offset = tile_.shared_bytes;
      const auto& array = graph_.arrays[graph_.versions[Held(tile_, each.version).version].array];
      tile_.shared_bytes += HandedBoundaries(tile_) * each.slots * HandedElements(tile_) *
                            static_cast<std::int64_t>(SizeInBytes(array.type));
    }
  }

  void AddSteps(std::vector<TileStep>& steps) const {
    const std::vector<HandOver>& hand_overs = tile_.pipeline->hand_overs;
    std::vector<TileStep> all;
    for (const TileStep& step : steps) {
      if (step.kind == Kind::Barrier) continue;
      // What lands in this step is taken over in a later one.
      for (std::size_t n = 0; tile_.pipeline->async && n < hand_overs.size(); ++n) {
        const TileStep take_over = {Kind::TakeOver, static_cast<int>(n)};
        if (step == TileStep{Kind::Load, hand_overs[n].version}) all.push_back(take_over);
      }
      for (std::size_t n = 0; n < hand_overs.size(); ++n) {
        const TileStep hand_over = {Kind::HandOver, static_cast<int>(n)};
        if (step == TileStep{Kind::Store, hand_overs[n].store}) all.push_back(hand_over);
      }
      all.push_back(step);
      for (std::size_t n = 0; !tile_.pipeline->async && n < hand_overs.size(); ++n) {
        const TileStep take_over = {Kind::TakeOver, static_cast<int>(n)};
        if (step == TileStep{Kind::Load, hand_overs[n].version}) all.push_back(take_over);
      }
    }
    if (tile_.pipeline->async) all.push_back({Kind::Arrive, 0});
    all.push_back({Kind::Barrier, 0});
    steps = std::move(all);
  }

  const Graph& graph_;
  const graph::Loop& loop_;
  Tile tile_;
};

void AddPipelines(Plan& plan, std::vector<Step>& steps, int stages) {
  for (Step& step : steps) {
    auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    const Launch* launch = OnlyLaunch(plan, *repeat);
    if (launch == nullptr || !plan.kernels[launch->kernel].tile) {
      AddPipelines(plan, repeat->body, stages);
      continue;
    }
    Kernel& kernel = plan.kernels[launch->kernel];
    auto tile = Maker(plan.graph, graph::LoopOf(plan.graph, repeat->loop), *kernel.tile)
                    .Make(stages, kernel.schedule);
    if (tile) kernel.tile = std::move(*tile);
  }
}

/// Checks a pipeline.
class PipelineChecker {
 public:
  PipelineChecker(const Graph& graph, const Tile& tile)
      : graph_(graph), tile_(tile), pipeline_(*tile.pipeline) {}

  std::vector<std::string> Run() {
    if (pipeline_.stages < 2) Problem("a pipeline of {} stages", pipeline_.stages);
    if (!tile_.stream || !tile_.shuffle || !tile_.regions.empty() || !tile_.rims.empty()) {
      Problem("a pipeline of tiles that are no rows of a warp");
      return std::move(problems_);
    }
    if (pipeline_.hand_overs.size() != tile_.stores.size()) {
      Problem("stages hand over {} versions of {}", pipeline_.hand_overs.size(),
              tile_.stores.size());
    }
    std::set<int> stores;
    std::int64_t free_from = 0;
    for (const HandOver& each : pipeline_.hand_overs) {
      if (!Held(tile_, each.version).loaded || !stores.insert(each.store).second) {
        Problem("{} is handed over to nobody", Name(each));
      }
      CheckSlots(each, free_from);
      CheckHalo(each);
    }
    if (free_from > tile_.shared_bytes) Problem("planes are handed over beyond shared memory");
    CheckSteps(tile_.steps);
    CheckSteps(tile_.free_steps);
    return std::move(problems_);
  }

 private:
  template <typename... Args>
  void Problem(fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  std::string Name(const HandOver& each) const {
    return graph::VersionName(graph_, StoredBy(tile_, each).version);
  }

  /// A plane is read a step after it was written or later, and not written again before.
  void CheckSlots(const HandOver& each, std::int64_t& free_from) {
    const std::int64_t delay = DelayOf(tile_, each);
    if (delay < 1) Problem("{} is taken over before it is handed over", Name(each));
    if (each.slots <= delay) Problem("{} is overwritten before it is taken over", Name(each));
    const auto& array = graph_.arrays[graph_.versions[StoredBy(tile_, each).version].array];
    if (each.byte_offset < free_from) Problem("{} shares its planes with another", Name(each));
    free_from = each.byte_offset + HandedBoundaries(tile_) * each.slots * HandedElements(tile_) *
                                       static_cast<std::int64_t>(SizeInBytes(array.type));
  }

  /// The first stage makes what all later ones need around what the last one stores.
  void CheckHalo(const HandOver& each) {
    const Halo& taken = Held(tile_, each.version).halo;
    const Halo& made = StoredBy(tile_, each).halo;
    const std::int64_t later = pipeline_.stages - 1;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      const bool enough = made.lo[d] >= later * (taken.lo[d] - made.lo[d]) &&
                          made.hi[d] >= later * (taken.hi[d] - made.hi[d]);
      if (!enough) Problem("{} is taken over beyond its halo", Name(each));
    }
  }

  /// Each version is taken over before anyone computes, and handed over when it is made; a barrier
  /// ends the step.
  void CheckSteps(const std::vector<TileStep>& steps) {
    const auto place = [&](TileStep step) {
      const auto at = std::find(steps.begin(), steps.end(), step);
      const bool once = std::count(steps.begin(), steps.end(), step) == 1;
      return once ? at - steps.begin() : std::ptrdiff_t{-1};
    };
    const auto first = std::find_if(steps.begin(), steps.end(), [](const TileStep& step) {
      return step.kind == Kind::Compute;
    });
    for (std::size_t n = 0; n < pipeline_.hand_overs.size(); ++n) {
      const HandOver& each = pipeline_.hand_overs[n];
      const auto taken = place({Kind::TakeOver, static_cast<int>(n)});
      const auto handed = place({Kind::HandOver, static_cast<int>(n)});
      const auto loaded = place({Kind::Load, each.version});
      const bool in_time = pipeline_.async ? taken >= 0 : taken >= loaded;
      if (!in_time || loaded < 0 || taken > first - steps.begin()) {
        Problem("{} is not taken over", Name(each));
      }
      if (handed < place({Kind::Compute, MakerOf(each)}))
        Problem("{} is not handed over", Name(each));
    }
    if (pipeline_.async &&
        (steps.size() < 2 || steps[steps.size() - 2] != TileStep{Kind::Arrive, 0})) {
      Problem("nobody waits for what the first stage copies");
    }
    if (steps.empty() || steps.back().kind != Kind::Barrier) {
      Problem("stages do not wait for each other");
    }
  }
  int MakerOf(const HandOver& each) const {
    const auto at = std::find_if(tile_.ops.begin(), tile_.ops.end(), [&](const TileOperator& op) {
      return graph::OperatorOf(graph_, op.node).result == StoredBy(tile_, each).version;
    });
    return static_cast<int>(at - tile_.ops.begin());
  }

  const Graph& graph_;
  const Tile& tile_;
  const Pipeline& pipeline_;
  std::vector<std::string> problems_;
};

void FindLoops(const Plan& plan, const std::vector<Step>& steps, std::set<KernelId>& looped) {
  for (const Step& step : steps) {
    const auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    if (const Launch* launch = OnlyLaunch(plan, *repeat)) looped.insert(launch->kernel);
    FindLoops(plan, repeat->body, looped);
  }
}

}  // namespace

Plan AddTimePipelines(Plan plan, int stages) {
  if (stages > 1) {
    std::vector<Step> steps = std::move(plan.steps);
    AddPipelines(plan, steps, stages);
    plan.steps = std::move(steps);
  }
  return plan;
}

int StagesOf(const Plan& plan, const Repeat& repeat) {
  const Launch* launch = OnlyLaunch(plan, repeat);
  if (launch == nullptr || !plan.kernels[launch->kernel].tile) return 1;
  return plan.kernels[launch->kernel].tile->Stages();
}

std::int64_t HandedElements(const Tile& tile) {
  return std::int64_t{tile.warp} * tile.Points();
}

namespace {

bool LieInRows(const Tile& tile, int vector) {
  return tile.pipeline->async || tile.Points() / vector % 2 == 1;
}

}  // namespace

std::int64_t HandedStride(const Tile& tile, int vector) {
  return LieInRows(tile, vector) ? tile.Points() : vector;
}

int HandedBoundaries(const Tile& tile) {
  return tile.pipeline->stages - (tile.pipeline->async ? 0 : 1);
}

std::int64_t HandedPlace(const Tile& tile, int vector, int point) {
  if (LieInRows(tile, vector)) return point;
  return std::int64_t{point / vector} * tile.warp * vector + point % vector;
}

int HandedVector(const Graph& graph, const Tile& tile, const HandOver& hand_over) {
  const VersionId version = Held(tile, hand_over.version).version;
  return VectorOf(tile, graph.arrays[graph.versions[version].array]);
}

std::vector<std::string> VerifyPipeline(const Graph& graph, const Tile& tile) {
  return PipelineChecker(graph, tile).Run();
}

std::vector<std::string> VerifyPipelines(const Plan& plan) {
  std::set<KernelId> looped;
  FindLoops(plan, plan.steps, looped);
  std::vector<std::string> problems;
  for (const KernelId id : plan.kernels.Ids()) {
    const Kernel& kernel = plan.kernels[id];
    if (!kernel.tile || !kernel.tile->pipeline || looped.count(id) > 0) continue;
    problems.push_back(fmt::format("{} is a pipeline outside of a loop", kernel.name));
  }
  return problems;
}

}  // namespace stencilgen::plan
