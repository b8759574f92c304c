#include <algorithm>
#include <set>
#include <utility>

#include "plan/build_tile.h"
#include "plan/frame_uses.h"
#include "plan/operator_facts.h"
#include "plan/planner.h"

namespace stencilgen::plan {

using graph::NodeId;
using graph::Operator;
using graph::RegionId;
using graph::VersionId;

/// Finds the operators that share tiles, and lets no tile store what others need only for its
/// frame.
void Planner::FindTiles() {
  if (!schedule_.shared_memory && !schedule_.shuffle) return;
  FindTilesOf(graph_.root);
  if (!TakeFramesFromBackgrounds(plan_.graph, KernelOf())) return;
  uses_ = FindVersionUses(graph_);
  tiles_.clear();
  tile_of_.clear();
  FindTilesOf(graph_.root);
}

void Planner::FindTilesOf(RegionId region) {
  const std::vector<NodeId>& nodes = graph_.regions[region].nodes;
  for (std::size_t first = 0; first < nodes.size();) {
    if (auto group = FindTileFrom(first, region)) {
      for (NodeId node : group->ops) tile_of_[node] = nodes[first];
      const std::size_t count = group->ops.size();
      tiles_.emplace(nodes[first], *std::move(group));
      first += count;
      continue;
    }
    const auto* loop = std::get_if<graph::Loop>(&graph_.nodes[nodes[first]]);
    if (loop != nullptr) FindTilesOf(loop->body);
    ++first;
  }
}

/// By node: the number of its tile, -1 where it is in none.
std::vector<int> Planner::KernelOf() const {
  std::vector<int> kernel_of(graph_.nodes.size(), -1);
  int kernel = 0;
  for (const auto& [first, group] : tiles_) {
    for (NodeId node : group.ops) kernel_of[node.index] = kernel;
    ++kernel;
  }
  return kernel_of;
}

/// The tile that begins with node `first` of the region, where there is one.
std::optional<Planner::TileGroup> Planner::FindTileFrom(std::size_t first, RegionId region) {
  const std::vector<NodeId>& nodes = graph_.regions[region].nodes;
  std::vector<NodeId> ops;
  std::vector<NodeId> taken;
  std::optional<Tile> tile;
  const auto build = [&] {
    auto built = BuildTile(graph_, ops, StoredOf(ops), scatters_, schedule_);
    if (std::holds_alternative<TileRefusal>(built)) return false;
    tile = std::get<Tile>(std::move(built));
    taken = ops;
    return true;
  };
  const std::size_t most = MostFrom(first, nodes);
  // Whoever grouped operators has seen their tile: as a rule that of all of them can be had.
  if (schedule_.fusion == Fusion::Greedy && most > 1) {
    ops.assign(nodes.begin() + static_cast<std::ptrdiff_t>(first),
               nodes.begin() + static_cast<std::ptrdiff_t>(first + most));
    for (const NodeId node : ops) SplitByPlanes(node);
    if (!build()) ops.clear();
  }
  for (std::size_t k = first + ops.size(); k < nodes.size() && ops.size() < most; ++k) {
    const auto* op = std::get_if<Operator>(&graph_.nodes[nodes[k]]);
    if (op == nullptr || IsScalar(op->result)) break;
    ops.push_back(nodes[k]);
    SplitByPlanes(nodes[k]);
    if (!build()) break;
  }
  if (!tile) return std::nullopt;
  // A tile that keeps nothing for later reads is only more code.
  const bool keeps = std::any_of(tile->versions.begin(), tile->versions.end(),
                                 [](const TileVersion& version) { return version.loaded; });
  if (taken.size() == 1 && !keeps) return std::nullopt;
  return TileGroup{std::move(taken), *std::move(tile)};
}

/// How many of the nodes from `first` on may share a kernel.
std::size_t Planner::MostFrom(std::size_t first, const std::vector<NodeId>& nodes) const {
  if (schedule_.fusion == Fusion::Max) return static_cast<std::size_t>(schedule_.most_operators);
  const int cluster = cluster_of_[nodes[first].index];
  if (cluster < 0) return 1;
  std::size_t end = first;
  while (end < nodes.size() && cluster_of_[nodes[end].index] == cluster) ++end;
  return end - first;
}

/// Remembers how the operator's sum divides along the stream, where it does.
void Planner::SplitByPlanes(NodeId node) {
  if (scatters_.count(node) > 0) return;
  const auto& op = std::get<Operator>(graph_.nodes[node]);
  if (auto scatter = FindScatter(plan_.graph, op, schedule_)) {
    scatters_.emplace(node, *std::move(scatter));
  }
}

/// The results that somebody needs after the last of these operators.
std::vector<VersionId> Planner::StoredOf(const std::vector<NodeId>& ops) const {
  const int end = uses_.position[ops.back().index];
  std::vector<VersionId> stored;
  for (NodeId node : ops) {
    const VersionId result = std::get<Operator>(graph_.nodes[node]).result;
    const int last = uses_.last_use[result.index];
    if (last > end || last == VersionUses::kNever) stored.push_back(result);
  }
  return stored;
}

void Planner::PlanTile(TileGroup group, RegionId region) {
  if (region != graph_.root) StoreFrames(group, region);
  for (const TileStore& store : group.tile.stores) {
    const BufferId target = ChooseTileTarget(group.tile, store, region);
    buffers_.Hold(target, store.version);
    BufferOf(store.version) = target;
  }
  const auto& first = std::get<Operator>(graph_.nodes[group.ops.front()]);
  Kernel kernel{names_.Unique(first.stencil), std::move(group.ops), schedule_};
  if (!group.tile.stream) kernel.schedule.stream.reset();
  kernel.tile = std::move(group.tile);
  steps_.emplace_back(Launch{plan_.kernels.Add(std::move(kernel))});
}

/// What surrounds a result would have to be copied in every turn of a loop: the tile stores it too,
/// where that leaves its halos as they are.
void Planner::StoreFrames(TileGroup& group, RegionId region) const {
  std::set<VersionId> whole;
  for (const TileStore& store : group.tile.stores) {
    if (NeedsCopy(group.tile, store, region)) whole.insert(store.version);
  }
  if (whole.empty()) return;
  auto built = BuildTile(graph_, group.ops, StoredOf(group.ops), scatters_, schedule_, whole);
  auto* tile = std::get_if<Tile>(&built);
  if (tile == nullptr || !(tile->halo == group.tile.halo) || tile->rims != group.tile.rims) return;
  group.tile = std::move(*tile);
}

BufferId Planner::ChooseTileTarget(const Tile& tile, const TileStore& store, RegionId region) {
  if (const BufferId target = FindTileTarget(tile, store, region); target.Valid()) {
    if (buffers_.IsFree(target)) buffers_.TakeThis(target);
    return target;
  }
  const bool copies = NeedsCopy(tile, store, region);
  const BufferId target = buffers_.Take(ArrayOf(store.version));
  if (copies) {
    const NodeId node = graph_.versions[store.version].node;
    const VersionId base = BaseOf(graph_, tile, store.version);
    CopyBackground(target, BufferOf(base), node, std::get<Operator>(graph_.nodes[node]));
  }
  return target;
}

/// A buffer that holds what surrounds the result already, or needs not. Invalid where there is
/// none.
BufferId Planner::FindTileTarget(const Tile& tile, const TileStore& store, RegionId region) const {
  const VersionId base = BaseOf(graph_, tile, store.version);
  if (!base.Valid()) return {};
  const BufferId source = plan_.buffer_of[base.index];
  const int chain = chain_of_[store.version.index];
  const int pinned = buffers_.ChainOf(source);
  const bool there = buffers_.Contains(source, base);
  if (there && MayOverwrite(tile, store, base, region) && (pinned < 0 || pinned == chain)) {
    return source;
  }
  if (const BufferId vacant = FindVacant(chain); vacant.Valid() || store.whole) return vacant;
  const NodeId node = graph_.versions[store.version].node;
  return FindReady(std::get<Operator>(graph_.nodes[node]), base);
}

/// True where any buffer for the version needs what surrounds it copied there first.
bool Planner::NeedsCopy(const Tile& tile, const TileStore& store, RegionId region) const {
  const NodeId node = graph_.versions[store.version].node;
  return !store.whole && BaseOf(graph_, tile, store.version).Valid() &&
         !CoversArray(graph_, std::get<Operator>(graph_.nodes[node])) &&
         !FindTileTarget(tile, store, region).Valid();
}

/// True where `base` dies in the tile, and nobody reads it, or every thread only what it stores
/// itself or nobody stores.
bool Planner::MayOverwrite(const Tile& tile, const TileStore& store, VersionId base,
                           RegionId region) const {
  const auto position = [&](const TileOperator& op) { return uses_.position[op.node.index]; };
  const int last = uses_.last_use[base.index];
  if (uses_.owner[base.index] != region || last < position(tile.ops.front()) ||
      last > position(tile.ops.back())) {
    return false;
  }
  const bool overlaps = !(tile.halo == Halo{});
  return std::all_of(tile.ops.begin(), tile.ops.end(), [&](const TileOperator& each) {
    const auto& op = std::get<Operator>(graph_.nodes[each.node]);
    if (!overlaps) return ReadsOwnPoint(graph_, op, base);
    if (Reads(graph_, op, base)) return false;
    return !each.background || op.background != base || ReadsFrameOnly(graph_, tile, each, store);
  });
}

}  // namespace stencilgen::plan
