#include "plan/planner.h"

#include <utility>

#include <fmt/format.h>

#include "graph/overwrite.h"
#include "plan/home_use.h"
#include "plan/operator_facts.h"
#include "plan/plan_fused.h"
#include "plan/plan_kernels.h"
#include "plan/windows.h"
#include "support/match.h"

namespace stencilgen::plan {

using graph::ArrayId;
using graph::Loop;
using graph::NodeId;
using graph::Operator;
using graph::RegionId;
using graph::VersionId;

namespace {

Plan EmptyPlan(graph::Graph graph) {
  Plan plan;
  plan.buffer_of.assign(graph.versions.size(), BufferId{});
  plan.scalar_of.assign(graph.versions.size(), -1);
  plan.graph = std::move(graph);
  return plan;
}

}  // namespace

Planner::Planner(graph::Graph graph, const Schedule& schedule, std::vector<int> cluster_of)
    : plan_(EmptyPlan(std::move(graph))),
      graph_(plan_.graph),
      schedule_(schedule),
      cluster_of_(std::move(cluster_of)),
      uses_(FindVersionUses(graph_)),
      buffers_(graph_, plan_.buffers, names_),
      scalars_(plan_, uses_, names_),
      chain_of_(graph_.versions.size(), -1) {
  ReserveNames();
}

Plan Planner::Run() && {
  FindTiles();
  AddHomes();
  PlanRegion(graph_.root);
  plan_.steps = std::move(steps_);
  for (const graph::Output& output : graph_.outputs) {
    plan_.results.push_back(BufferOf(output.version));
  }
  plan_.needs_contents = FindNeededContents(graph_, uses_);
  plan_.home_written = FindWrittenHomes(plan_);
  return std::move(plan_);
}

void Planner::ReserveNames() {
  for (const graph::Parameter& parameter : graph_.parameters) names_.Reserve(parameter.name);
  for (const std::string& iterator : graph_.iterators) names_.Reserve(iterator);
  for (const graph::Array& array : graph_.arrays) {
    if (!array.local) names_.Reserve(array.name);
  }
  names_.Reserve(graph_.name);
  for (const char* suffix :
       {"device", "error", "call", "time", "allocate", "free", "keep_scratch"}) {
    names_.Reserve(fmt::format("{}_{}", graph_.name, suffix));
  }
}

void Planner::AddHomes() {
  std::vector<VersionId> initial(graph_.arrays.size());
  std::vector<bool> written(graph_.arrays.size(), false);
  for (VersionId id : graph_.versions.Ids()) {
    const graph::Version& version = graph_.versions[id];
    if (version.def == graph::DefKind::Initial) initial[version.array.index] = id;
    if (version.def == graph::DefKind::Operator) written[version.array.index] = true;
  }
  for (ArrayId id : graph_.arrays.Ids()) {
    const graph::Array& array = graph_.arrays[id];
    if (array.local) continue;
    const VersionId version = initial[id.index];
    if (array.rank() == 0) {
      scalars_.AddProgramScalar(id, version);
      continue;
    }
    // Scratch only where the program writes: callers keep the others on the device between calls.
    const BufferId home = buffers_.AddHome(id, version, written[id.index] && !array.constant);
    if (version.Valid()) BufferOf(version) = home;
    const bool used = version.Valid() && uses_.last_use[version.index] != VersionUses::kNever;
    if (!used) buffers_.ReleaseUnused(home);
  }
}

void Planner::PlanRegion(RegionId region) {
  const std::vector<NodeId>& nodes = graph_.regions[region].nodes;
  for (std::size_t first = 0; first < nodes.size();) {
    std::size_t count = 1;
    if (const auto tile = tiles_.find(nodes[first]); tile != tiles_.end()) {
      count = tile->second.ops.size();
      PlanTile(std::move(tile->second), region);
    } else {
      Match(
          graph_.nodes[nodes[first]],
          [&](const Operator& op) { PlanOperator(nodes[first], op, region); },
          [&](const Loop& loop) { PlanLoop(nodes[first], loop, region); });
    }
    for (std::size_t k = first; k < first + count; ++k) {
      for (VersionId version : uses_.dying[nodes[k].index]) Release(version);
    }
    first += count;
  }
}

void Planner::Release(VersionId version) {
  if (IsScalar(version)) {
    scalars_.Release(version);
  } else if (BufferOf(version).Valid()) {
    buffers_.Release(BufferOf(version), version);
  }
}

void Planner::PlanOperator(NodeId node, const Operator& op, RegionId region) {
  if (IsScalar(op.result)) {
    scalars_.Define(op.result, region, uses_.position[node.index]);
    steps_.emplace_back(AssignScalar{node});
    return;
  }
  const BufferId target = ChooseTarget(node, op, region);
  buffers_.Hold(target, op.result);
  BufferOf(op.result) = target;
  Kernel kernel{names_.Unique(op.stencil), {node}, schedule_};
  if (schedule_.stream) {
    if (CanStream(op, schedule_.stream->iterator)) {
      kernel.windows = FindWindows(graph_, op, schedule_.stream->iterator, plan_.buffer_of);
    } else {
      kernel.schedule.stream.reset();
    }
  }
  steps_.emplace_back(Launch{plan_.kernels.Add(std::move(kernel))});
}

/// A buffer to write, and steps before the launch where it does not hold the background yet.
BufferId Planner::ChooseTarget(NodeId node, const Operator& op, RegionId region) {
  if (!op.background.Valid()) return buffers_.Take(ArrayOf(op.result));
  const BufferId source = BufferOf(op.background);
  const int chain = chain_of_[op.result.index];
  const int pinned = buffers_.ChainOf(source);
  if (CanOverwrite(op, node, region) && (pinned < 0 || pinned == chain)) return source;
  if (const BufferId ready = FindReady(op, op.background); ready.Valid()) {
    buffers_.TakeThis(ready);
    return ready;
  }
  if (const BufferId vacant = FindVacant(chain); vacant.Valid()) return vacant;
  const BufferId target = buffers_.Take(ArrayOf(op.result));
  CopyBackground(target, source, node, op);
  return target;
}

bool Planner::CanOverwrite(const Operator& op, NodeId node, RegionId region) const {
  return uses_.DiesAt(op.background, region, uses_.position[node.index]) &&
         graph::MayWriteOver(graph_, op, op.background);
}

void Planner::CopyBackground(BufferId target, BufferId source, NodeId node, const Operator& op) {
  if (CoversArray(graph_, op)) return;
  if (HasPlainTarget(op)) {
    steps_.emplace_back(CopyOutside{target, source, node});
  } else {
    steps_.emplace_back(CopyAll{target, source});
  }
}

/// A free buffer that still contains an earlier version of `from` which differs from it only where
/// `op` writes. Invalid where there is none.
BufferId Planner::FindReady(const Operator& op, VersionId from) const {
  constexpr int kVersionsBack = 64;  // as many as a tile may have operators
  VersionId version = from;
  for (int back = 0; back < kVersionsBack; ++back) {
    if (graph_.versions[version].def != graph::DefKind::Operator) break;
    const auto& definition = std::get<Operator>(graph_.nodes[graph_.versions[version].node]);
    if (!definition.background.Valid() || !WritesSameElements(op, definition)) break;
    version = definition.background;
    const BufferId buffer = plan_.buffer_of[version.index];
    if (buffer.Valid() && buffers_.IsFree(buffer) && buffers_.Contains(buffer, version)) {
      return buffer;
    }
  }
  return {};
}

/// A buffer of the chain that holds nothing anyone needs; invalid where there is none.
BufferId Planner::FindVacant(int chain) const {
  if (chain < 0) return {};
  for (BufferId buffer : chains_[static_cast<std::size_t>(chain)].buffers) {
    if (buffers_.IsVacant(buffer)) return buffer;
  }
  return {};
}

Plan PlanKernels(graph::Graph graph, const Schedule& schedule) {
  if (schedule.fusion == Fusion::Greedy) return PlanFused(graph, schedule, {}).plan;
  std::vector<int> alone(graph.nodes.size(), -1);
  return Planner(std::move(graph), schedule, std::move(alone)).Run();
}

}  // namespace stencilgen::plan
