#include <algorithm>
#include <map>
#include <utility>

#include "graph/turns.h"
#include "plan/build_tile.h"
#include "plan/operator_facts.h"
#include "plan/planner.h"

namespace stencilgen::plan {

using graph::Carried;
using graph::Loop;
using graph::NodeId;
using graph::Operator;
using graph::RegionId;
using graph::VersionId;

void Planner::PlanLoop(NodeId node, const Loop& loop, RegionId region) {
  EnterLoop(node, loop, region);
  std::vector<int> chains;
  for (const Carried& carried : loop.carried) {
    if (IsScalar(carried.entry)) continue;
    Chain chain = FindChain(carried, loop.body);
    if (chain.versions.empty()) continue;
    chains.push_back(static_cast<int>(chains_.size()));
    SetAside(carried, std::move(chain));
  }

  Repeat repeat;
  repeat.turns = loop.turns;
  repeat.span = loop.span;
  repeat.loop = node;
  std::vector<Step> before = std::exchange(steps_, {});
  PlanRegion(loop.body);
  LeaveLoop(loop, chains, repeat);
  repeat.body = std::exchange(steps_, std::move(before));
  steps_.emplace_back(std::move(repeat));
}

/// Gives every carried array's entry a variable that the body may overwrite.
void Planner::EnterLoop(NodeId node, const Loop& loop, RegionId region) {
  const int place = uses_.position[node.index];
  buffers_.NextEpoch();
  for (const Carried& carried : loop.carried) {
    const bool may_take_over = uses_.DiesAt(carried.initial, region, place) &&
                               uses_.uses_at_last[carried.initial.index] == 1;
    if (IsScalar(carried.entry)) {
      EnterScalar(carried, may_take_over);
    } else {
      EnterBuffer(carried, may_take_over);
    }
  }
}

void Planner::EnterBuffer(const Carried& carried, bool may_take_over) {
  BufferId buffer = BufferOf(carried.initial);
  if (!may_take_over || buffers_.ChainOf(buffer) >= 0) {
    buffer = buffers_.Take(ArrayOf(carried.entry));
    steps_.emplace_back(CopyAll{buffer, BufferOf(carried.initial)});
  }
  buffers_.Hold(buffer, carried.entry);
  BufferOf(carried.entry) = buffer;
}

void Planner::EnterScalar(const Carried& carried, bool may_take_over) {
  const int initial = plan_.scalar_of[carried.initial.index];
  if (may_take_over) {
    scalars_.Hold(initial, carried.entry);
    return;
  }
  // A loop of one turn is the step that moves a scalar.
  Repeat move;
  move.turns.count = graph::LinearForm::Constant(1);
  move.scalar_moves = {{scalars_.DefineNew(carried.entry), initial}};
  steps_.emplace_back(std::move(move));
}

/// The versions from next back to entry, where they are a chain that needs a second buffer and
/// leaves some element unwritten, the same in every turn; else none.
Planner::Chain Planner::FindChain(const Carried& carried, RegionId body) const {
  Chain chain;
  const Operator* last = nullptr;
  bool needs_alternate = false;
  for (VersionId version = carried.next; version != carried.entry;) {
    const graph::Version& info = graph_.versions[version];
    if (info.def != graph::DefKind::Operator || uses_.owner[version.index] != body) return {};
    const auto& op = std::get<Operator>(graph_.nodes[info.node]);
    if (!op.background.Valid()) return {};
    if (last == nullptr) last = &op;
    if (!WritesSameElements(op, *last) || graph::WritesByTurn(op)) return {};
    needs_alternate = needs_alternate || NeedsAlternate(version, body);
    chain.versions.push_back(version);
    version = op.background;
  }
  if (!needs_alternate || CoversArray(graph_, *last)) return {};
  return chain;
}

/// True where the kernel that stores the version cannot write it over what it starts from.
bool Planner::NeedsAlternate(VersionId version, RegionId body) const {
  const NodeId node = graph_.versions[version].node;
  const auto first = tile_of_.find(node);
  if (first == tile_of_.end()) {
    return !CanOverwrite(std::get<Operator>(graph_.nodes[node]), node, body);
  }
  const Tile& tile = tiles_.at(first->second).tile;
  const VersionId base = BaseOf(graph_, tile, version);
  return std::any_of(tile.stores.begin(), tile.stores.end(), [&](const TileStore& store) {
    return store.version == version && base.Valid() && !MayOverwrite(tile, store, base, body);
  });
}

/// Pins the entry's buffer and an alternate for the chain while its loop is planned.
void Planner::SetAside(const Carried& carried, Chain chain) {
  const int id = static_cast<int>(chains_.size());
  const BufferId entry = BufferOf(carried.entry);
  const BufferId alternate = buffers_.Take(ArrayOf(carried.entry));
  const NodeId writer = graph_.versions[chain.versions.front()].node;
  CopyBackground(alternate, entry, writer, std::get<Operator>(graph_.nodes[writer]));
  for (BufferId buffer : {entry, alternate}) {
    buffers_.Pin(buffer, id);
    chain.buffers.push_back(buffer);
  }
  for (VersionId version : chain.versions) chain_of_[version.index] = id;
  chains_.push_back(std::move(chain));
}

/// (entry's buffer, next's buffer) of each carried array; next's are distinct and the body's own.
std::vector<std::pair<BufferId, BufferId>> Planner::NextBuffers(const Loop& loop) {
  std::vector<std::pair<BufferId, BufferId>> result;
  std::set<BufferId> used;
  for (const Carried& carried : loop.carried) {
    if (IsScalar(carried.entry)) continue;
    BufferId next = BufferOf(carried.next);
    if (uses_.owner[carried.next.index] != loop.body || !used.insert(next).second) {
      const BufferId copy = buffers_.Take(ArrayOf(carried.entry));
      steps_.emplace_back(CopyAll{copy, next});
      used.insert(copy);
      next = copy;
    }
    result.emplace_back(BufferOf(carried.entry), next);
  }
  return result;
}

/// Ends an iteration: rotates, so that entry's buffers hold what the next iteration starts with,
/// or what is left after the last.
void Planner::LeaveLoop(const Loop& loop, const std::vector<int>& chains, Repeat& repeat) {
  const std::vector<std::pair<BufferId, BufferId>> nexts = NextBuffers(loop);
  std::map<BufferId, BufferId> goes_to;  // by next's buffer: entry's
  std::set<BufferId> entries;
  for (const auto& [entry, next] : nexts) {
    goes_to.emplace(next, entry);
    entries.insert(entry);
    if (entry != next) repeat.rotation.emplace_back(entry, next);
  }
  for (int chain : chains) {
    for (BufferId buffer : chains_[static_cast<std::size_t>(chain)].buffers) {
      buffers_.Unpin(buffer);
      if (entries.count(buffer) == 0) buffers_.Release(buffer);
    }
  }
  for (const auto& [entry, next] : nexts) {
    if (entries.count(next) != 0) continue;
    // Follow the memory: what the last entry of the row held goes where nobody's entry is.
    BufferId last = entry;
    while (goes_to.count(last) != 0) last = goes_to.at(last);
    repeat.rotation.emplace_back(next, last);
    buffers_.Release(next);
  }
  buffers_.NextEpoch();
  for (const Carried& carried : loop.carried) {
    if (IsScalar(carried.entry)) {
      LeaveScalar(carried, repeat);
    } else {
      BufferOf(carried.result) = BufferOf(carried.entry);
      buffers_.Hold(BufferOf(carried.result), carried.result);
    }
  }
}

void Planner::LeaveScalar(const Carried& carried, Repeat& repeat) {
  const int entry = plan_.scalar_of[carried.entry.index];
  const int next = plan_.scalar_of[carried.next.index];
  if (entry != next) repeat.scalar_moves.emplace_back(entry, next);
  if (uses_.owner[carried.next.index] == uses_.owner[carried.entry.index]) {
    scalars_.Release(carried.next);
  }
  scalars_.Hold(entry, carried.result);
}

}  // namespace stencilgen::plan
