#include "plan/verify.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "graph/overwrite.h"
#include "plan/build_tile.h"
#include "plan/matrix_tiles.h"
#include "plan/memory_model.h"
#include "plan/operator_facts.h"
#include "plan/sweep_in_place.h"
#include "plan/time_band.h"
#include "plan/time_pipeline.h"
#include "plan/turn_graph.h"
#include "plan/verify_buffers.h"
#include "plan/verify_tile.h"
#include "support/match.h"

namespace stencilgen::plan {
namespace {

using graph::Carried;
using graph::Operator;
using graph::VersionId;

/// Runs the plan once without values.
class Execution {
 public:
  Execution(const Plan& plan, int turns, std::vector<std::string>& problems)
      : plan_(plan), graph_(plan.graph), turns_(turns), problems_(problems), model_(plan.graph) {
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) memory_of_.push_back(i);
    contents_.resize(plan.buffers.size());
    scalars_.assign(plan.scalars.size(), -1);
    instance_of_.assign(graph_.versions.size(), -1);
  }

  void Run() {
    Start();
    RunSteps(plan_.steps, 0);
    if (plan_.results.size() != graph_.outputs.size()) {
      Problem("{} results for {} outputs", plan_.results.size(), graph_.outputs.size());
      return;
    }
    for (std::size_t i = 0; i < plan_.results.size(); ++i) {
      const VersionId version = graph_.outputs[i].version;
      if (!HoldsAll(plan_.results[i], version)) {
        Problem("the result of {} is not in its buffer", Name(version));
      }
    }
  }

 private:
  template <typename... Args>
  void Problem(fmt::format_string<Args...> text, Args&&... args) {
    std::string problem = fmt::format(text, std::forward<Args>(args)...);
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end()) {
      problems_.push_back(std::move(problem));
    }
  }
  std::string Name(VersionId version) const { return graph::VersionName(graph_, version); }
  bool IsScalar(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array].rank() == 0;
  }

  void Start() {
    for (VersionId id : graph_.versions.Ids()) {
      if (graph_.versions[id].def != graph::DefKind::Initial) continue;
      const int instance = instance_of_[id.index] = model_.NewInstance();
      if (IsScalar(id)) {
        const int variable = plan_.scalar_of[id.index];
        if (variable >= 0) scalars_[static_cast<std::size_t>(variable)] = instance;
      } else if (plan_.buffer_of[id.index].Valid()) {
        Memory(plan_.buffer_of[id.index]) = model_.AllOf(instance);
      }
    }
  }

  Contents& Memory(BufferId buffer) { return contents_[memory_of_[buffer.index]]; }
  bool HoldsAll(BufferId buffer, VersionId version) {
    const int instance = instance_of_[version.index];
    return buffer.Valid() && instance >= 0 && Memory(buffer).instance == instance;
  }
  /// True where the version is in its own variable, scalar or buffer.
  bool IsInPlace(VersionId version) {
    if (!IsScalar(version)) return HoldsAll(plan_.buffer_of[version.index], version);
    const int variable = plan_.scalar_of[version.index];
    const int instance = instance_of_[version.index];
    return variable >= 0 && instance >= 0 &&
           scalars_[static_cast<std::size_t>(variable)] == instance;
  }

  void RunSteps(const std::vector<Step>& steps, int depth) {
    for (const Step& step : steps) {
      Match(
          step, [&](const Launch& launch) { RunLaunch(plan_.kernels[launch.kernel]); },
          [&](const AssignScalar& assign) { RunAssign(assign.op); },
          [&](const CopyOutside& copy) { RunCopyOutside(copy); },
          [&](const CopyAll& copy) { Memory(copy.dst) = Memory(copy.src); },
          [&](const Repeat& repeat) { RunRepeat(repeat, depth); });
    }
  }

  /// `near`: what operators of the same kernel have computed.
  void CheckReads(const Operator& op, const std::set<VersionId>& near = {}) {
    for (graph::ExprId expr : graph::Accesses(graph_, op)) {
      const VersionId version = std::get<graph::Access>(graph_.exprs[expr].node).version;
      if (near.count(version) == 0 && !IsInPlace(version)) {
        Problem("{} reads {} where it is not", Name(op.result), Name(version));
      }
    }
  }

  void RunLaunch(const Kernel& kernel) {
    if (kernel.tile) {
      for (std::string& problem : VerifyTile(graph_, *kernel.tile)) {
        Problem("{}: {}", kernel.name, problem);
      }
    }
    if (!kernel.tile) CheckSharedLoops(kernel);
    std::set<VersionId> results;
    for (graph::NodeId node : kernel.ops) {
      const auto& op = std::get<Operator>(graph_.nodes[node]);
      CheckReads(op, results);
      results.insert(op.result);
    }
    const std::vector<VersionId> stored = StoredVersions(plan_, kernel);
    for (VersionId version : stored) CheckTarget(kernel, version, results);
    if (kernel.held) RunHeld(kernel, stored);
    for (graph::NodeId node : kernel.ops) {
      const auto& op = std::get<Operator>(graph_.nodes[node]);
      const int background = op.background.Valid() ? instance_of_[op.background.index] : -1;
      instance_of_[op.result.index] = model_.NewInstance(node, background);
    }
    for (VersionId version : stored) {
      const BufferId target = plan_.buffer_of[version.index];
      if (target.Valid()) Memory(target) = model_.AllOf(instance_of_[version.index]);
    }
  }

  /// The memory in which planes are held is neither what the kernel writes nor kept.
  void RunHeld(const Kernel& kernel, const std::vector<VersionId>& stored) {
    if (!kernel.held->buffer.Valid()) return;
    for (VersionId version : stored) {
      const BufferId target = plan_.buffer_of[version.index];
      if (target.Valid() && memory_of_[target.index] == memory_of_[kernel.held->buffer.index]) {
        Problem("{} holds planes where it writes {}", kernel.name, Name(version));
      }
    }
    Memory(kernel.held->buffer) = {};
  }

  /// Operators of one loop nest have its points, write one element at each, and read what others of
  /// them write at that element, after it is made and before it is overwritten.
  void CheckSharedLoops(const Kernel& kernel) {
    if (kernel.ops.size() == 1) return;
    const auto& first = std::get<Operator>(graph_.nodes[kernel.ops.front()]);
    std::map<VersionId, const Operator*> made;
    std::map<std::size_t, std::vector<const Operator*>> stored;  // by memory
    for (graph::NodeId node : kernel.ops) {
      const auto& op = std::get<Operator>(graph_.nodes[node]);
      if (op.iterators != first.iterators || !(op.domain == first.domain)) {
        Problem("{} has other points than {}", Name(op.result), Name(first.result));
      }
      if (!IsInLanes(op) && !WritesOwnElements(op)) {
        Problem("{} writes an element at several points of a nest", Name(op.result));
      }
      for (graph::ExprId expr : graph::Accesses(graph_, op)) {
        const auto& access = std::get<graph::Access>(graph_.exprs[expr].node);
        const BufferId source = plan_.buffer_of[access.version.index];
        if (const auto maker = made.find(access.version); maker != made.end()) {
          if (access.indices != maker->second->target || maker->second->reduction) {
            Problem("{} reads {} at other points of its nest", Name(op.result),
                    Name(access.version));
          }
        } else if (source.Valid() && !AreApartFrom(stored[memory_of_[source.index]], access)) {
          Problem("{} reads {} where its nest has overwritten it", Name(op.result),
                  Name(access.version));
        }
      }
      made[op.result] = &op;
      const BufferId target = plan_.buffer_of[op.result.index];
      if (target.Valid()) stored[memory_of_[target.index]].push_back(&op);
    }
  }
  /// True where the versions have memory, and it is not the same.
  bool IsElsewhere(VersionId a, VersionId b) const {
    const BufferId x = plan_.buffer_of[a.index], y = plan_.buffer_of[b.index];
    return x.Valid() && y.Valid() && memory_of_[x.index] != memory_of_[y.index];
  }

  /// True where none of the operators writes the component that is read.
  static bool AreApartFrom(const std::vector<const Operator*>& writers,
                           const graph::Access& access) {
    return std::all_of(writers.begin(), writers.end(), [&](const Operator* writer) {
      return AreOtherComponents(access.indices, writer->target);
    });
  }

  /// The version that has what the operator leaves as it is: its background, or where the kernel
  /// makes that at the same elements, or in the same memory another component, what was there
  /// before.
  VersionId OutsideOf(const Kernel& kernel, const Operator& op) const {
    VersionId base = op.background;
    for (std::size_t k = kernel.ops.size(); k-- > 0;) {
      const auto& other = std::get<Operator>(graph_.nodes[kernel.ops[k]]);
      if (!base.Valid() || other.result != base) continue;
      if (WritesSameElements(op, other) ||
          (!IsElsewhere(base, op.result) && AreOtherComponents(other.target, op.target))) {
        base = other.background;
      }
    }
    return base;
  }

  /// What the kernel writes may be read at other points by no thread of it, and must have the
  /// background around it.
  void CheckTarget(const Kernel& kernel, VersionId version, const std::set<VersionId>& results) {
    const BufferId target = plan_.buffer_of[version.index];
    if (!target.Valid()) {
      Problem("{} has no buffer", Name(version));
      return;
    }
    const bool shares = kernel.tile && !(kernel.tile->halo == Halo{});
    const graph::NodeId writer = graph_.versions[version].node;
    const auto& writing = std::get<Operator>(graph_.nodes[writer]);
    for (graph::NodeId node : kernel.ops) {
      const auto& op = std::get<Operator>(graph_.nodes[node]);
      for (graph::ExprId expr : graph::Accesses(graph_, op)) {
        const VersionId read = std::get<graph::Access>(graph_.exprs[expr].node).version;
        if (results.count(read) > 0) continue;
        const BufferId source = plan_.buffer_of[read.index];
        if (kernel.held && source == target) continue;  // VerifyHeld
        if (source.Valid() && memory_of_[source.index] == memory_of_[target.index] &&
            (shares ||
             !(kernel.tile ? ReadsOwnPoint(graph_, op, read) : MayReadBeside(op, read, writing)))) {
          Problem("{} overwrites {} while it is read at other points", Name(version), Name(read));
        }
      }
    }
    if (kernel.tile) CheckBackgrounds(kernel, version, shares);
    const VersionId base =
        kernel.tile ? BaseOf(graph_, *kernel.tile, version) : OutsideOf(kernel, writing);
    if (!base.Valid() || CoversArray(graph_, writing) || IsStoredWhole(kernel, version)) return;
    const int instance = instance_of_[base.index];
    if (instance < 0 || !model_.HasFrame(Memory(target), instance, writer)) {
      Problem("{} is written where {} is not around it", Name(version), Name(base));
    }
  }
  /// True where a nest of both may read `version` in the memory that `writing` writes: at the
  /// element that the point writes, or one operator what none of its points writes.
  bool MayReadBeside(const Operator& op, VersionId version, const Operator& writing) const {
    if (&op == &writing) return graph::MayWriteOver(graph_, op, version);
    const std::vector<graph::ExprId> accesses = graph::Accesses(graph_, op);
    return std::all_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
      const auto& access = std::get<graph::Access>(graph_.exprs[id].node);
      return access.version != version || access.indices == writing.target ||
             AreOtherComponents(access.indices, writing.target);
    });
  }
  /// Backgrounds that a tile reads from memory must be there, and not be written elsewhere.
  void CheckBackgrounds(const Kernel& kernel, VersionId version, bool shares) {
    const BufferId target = plan_.buffer_of[version.index];
    for (const TileOperator& each : kernel.tile->ops) {
      const auto& op = std::get<Operator>(graph_.nodes[each.node]);
      if (!each.background || BaseOf(graph_, *kernel.tile, op.background) != op.background)
        continue;
      if (!IsInPlace(op.background)) {
        Problem("{} reads {} where it is not", Name(op.result), Name(op.background));
        continue;
      }
      const BufferId source = plan_.buffer_of[op.background.index];
      const bool same = memory_of_[source.index] == memory_of_[target.index];
      if (shares && same && !IsFrameAlone(kernel, op, version)) {
        Problem("{} overwrites {} while it is read at other points", Name(version),
                Name(op.background));
      }
    }
  }
  /// True where the operator reads of its background only elements that the kernel does not write
  /// when it stores the version.
  bool IsFrameAlone(const Kernel& kernel, const Operator& op, VersionId version) const {
    const auto& writing = std::get<Operator>(graph_.nodes[graph_.versions[version].node]);
    return kernel.tile->Find(op.background) < 0 && !IsStoredWhole(kernel, version) &&
           WritesSameElements(op, writing);
  }
  static bool IsStoredWhole(const Kernel& kernel, VersionId version) {
    if (!kernel.tile) return false;
    return std::any_of(
        kernel.tile->stores.begin(), kernel.tile->stores.end(),
        [&](const TileStore& store) { return store.version == version && store.whole; });
  }

  void RunAssign(graph::NodeId node) {
    const auto& op = std::get<Operator>(graph_.nodes[node]);
    CheckReads(op);
    const int variable = plan_.scalar_of[op.result.index];
    if (variable < 0) {
      Problem("{} has no variable", Name(op.result));
      return;
    }
    instance_of_[op.result.index] = model_.NewInstance();
    scalars_[static_cast<std::size_t>(variable)] = instance_of_[op.result.index];
  }

  void RunCopyOutside(const CopyOutside& copy) {
    const auto& op = std::get<Operator>(graph_.nodes[copy.op]);
    if (!HasPlainTarget(op)) Problem("{} is copied around, but is no box", Name(op.result));
    const int instance = Memory(copy.src).instance;
    if (instance < 0) {
      Problem("what surrounds {} is copied from where nothing is", Name(op.result));
      Memory(copy.dst) = {};
      return;
    }
    Memory(copy.dst) = model_.FrameOf(instance, copy.op);
  }

  void CheckEntries(const std::vector<Carried>& carried) {
    for (const Carried& each : carried) {
      if (!IsInPlace(each.entry)) Problem("{} is not in its place", Name(each.entry));
    }
  }

  void RunRepeat(const Repeat& repeat, int depth) {
    constexpr int kDeepest = 4;  // of loops that run twice: time is exponential in it
    std::vector<Carried> carried;
    if (repeat.loop.Valid()) carried = std::get<graph::Loop>(graph_.nodes[repeat.loop]).carried;
    SetAll(carried, &Carried::entry, &Carried::initial);
    CheckEntries(carried);
    const int turns = !repeat.loop.Valid() || (turns_ > 1 && depth >= kDeepest) ? 1 : turns_;
    for (int turn = 0; turn < turns; ++turn) {
      model_.NextTurn();
      RunSteps(repeat.body, depth + 1);
      Rotate(repeat);
      SetAll(carried, &Carried::entry, &Carried::next);
      CheckEntries(carried);
    }
    SetAll(carried, &Carried::result, &Carried::entry);
    for (const Carried& each : carried) {
      if (!IsInPlace(each.result)) Problem("{} is not in its place", Name(each.result));
    }
  }

  void SetAll(const std::vector<Carried>& carried, VersionId Carried::*to,
              VersionId Carried::*from) {
    std::vector<int> values;
    values.reserve(carried.size());
    for (const Carried& each : carried) values.push_back(instance_of_[(each.*from).index]);
    for (std::size_t i = 0; i < carried.size(); ++i) {
      instance_of_[(carried[i].*to).index] = values[i];
    }
  }

  void Rotate(const Repeat& repeat) {
    const std::vector<std::size_t> memory = memory_of_;
    for (const auto& [to, from] : repeat.rotation) memory_of_[to.index] = memory[from.index];
    const std::vector<int> scalars = scalars_;
    for (const auto& [to, from] : repeat.scalar_moves) {
      scalars_[static_cast<std::size_t>(to)] = scalars[static_cast<std::size_t>(from)];
    }
  }

  const Plan& plan_;
  const graph::Graph& graph_;
  int turns_;
  std::vector<std::string>& problems_;
  MemoryModel model_;
  std::vector<std::size_t> memory_of_;  ///< by buffer
  std::vector<Contents> contents_;      ///< by memory
  std::vector<int> scalars_;            ///< by variable: the instance
  std::vector<int> instance_of_;        ///< by version, -1 where it has none yet
};

void CheckBands(const Plan& plan, std::vector<std::string>& problems) {
  for (const Repeat* repeat : LoopsWithBands(plan)) {
    for (const std::string& problem : VerifyTimeBand(plan, *repeat)) {
      problems.push_back(fmt::format("a loop in tiles: {}", problem));
    }
    const std::string single = VerifySingleTurn(plan, *repeat);
    if (!single.empty()) problems.push_back(fmt::format("a loop in tiles: {}", single));
  }
}

void CheckMatrixTiles(const Plan& plan, std::vector<std::string>& problems) {
  for (const KernelId id : plan.kernels.Ids()) {
    if (!plan.kernels[id].matrix) continue;
    for (const std::string& problem : VerifyMatrixTile(plan, id)) {
      problems.push_back(fmt::format("{}: {}", plan.kernels[id].name, problem));
    }
  }
}

void CheckNests(const Plan& plan, std::vector<std::string>& problems) {
  for (const Kernel& kernel : plan.kernels) {
    if (!kernel.nest && kernel.held) {
      problems.push_back(fmt::format("{}: planes are held without a nest", kernel.name));
    }
    if (!kernel.nest) continue;
    const auto& op = std::get<Operator>(plan.graph.nodes[kernel.ops.front()]);
    std::string problem = Verify(*kernel.nest, kernel.ops.size(), op.iterators.size());
    if (kernel.tile || kernel.schedule.stream) problem = "a nest of a GPU's tile or stream";
    if (problem.empty()) problem = VerifyHeld(plan, kernel);
    if (!problem.empty()) problems.push_back(fmt::format("{}: {}", kernel.name, problem));
  }
}

}  // namespace

std::vector<std::string> Verify(const Plan& plan) {
  std::vector<std::string> problems;
  CheckNames(plan, problems);
  CheckRotations(plan, plan.steps, problems);
  CheckBands(plan, problems);
  CheckNests(plan, problems);
  CheckMatrixTiles(plan, problems);
  for (std::string& problem : VerifyPipelines(plan)) problems.push_back(std::move(problem));
  for (std::string& problem : VerifyTurnGraphs(plan)) problems.push_back(std::move(problem));
  for (int turns : {0, 1, 2}) Execution(plan, turns, problems).Run();
  return problems;
}

}  // namespace stencilgen::plan
