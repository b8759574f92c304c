#include <algorithm>
#include <set>
#include <utility>

#include "plan/build_tile.h"
#include "plan/operator_facts.h"
#include "plan/planner.h"

namespace stencilgen::plan {

using graph::NodeId;
using graph::Operator;
using graph::RegionId;
using graph::VersionId;

/// Plans a tile that begins with node `first` of the region. Returns how many nodes it takes, 0
/// where there is none.
std::size_t Planner::PlanTileFrom(std::size_t first, RegionId region) {
  if (!schedule_.shared_memory && !schedule_.shuffle) return 0;
  const std::vector<NodeId>& nodes = graph_.regions[region].nodes;
  const std::size_t most = MostFrom(first, nodes);
  std::vector<NodeId> ops;
  std::vector<NodeId> taken;
  std::optional<Tile> tile;
  for (std::size_t k = first; k < nodes.size() && ops.size() < most; ++k) {
    const auto* op = std::get_if<Operator>(&graph_.nodes[nodes[k]]);
    if (op == nullptr || IsScalar(op->result)) break;
    ops.push_back(nodes[k]);
    SplitByPlanes(nodes[k]);
    auto built = BuildTile(graph_, ops, StoredOf(ops), scatters_, schedule_);
    if (std::holds_alternative<TileRefusal>(built)) break;
    tile = std::get<Tile>(std::move(built));
    taken = ops;
  }
  if (!tile) return 0;
  // A tile that keeps nothing for later reads is only more code.
  const bool keeps = std::any_of(tile->versions.begin(), tile->versions.end(),
                                 [](const TileVersion& version) { return version.loaded; });
  if (taken.size() == 1 && !keeps) return 0;
  PlanTile(taken, *std::move(tile), region);
  return taken.size();
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

void Planner::PlanTile(const std::vector<NodeId>& ops, Tile tile, RegionId region) {
  for (const TileStore& store : tile.stores) {
    const BufferId target = ChooseTileTarget(tile, store, region);
    buffers_.Hold(target, store.version);
    BufferOf(store.version) = target;
  }
  const auto& first = std::get<Operator>(graph_.nodes[ops.front()]);
  Kernel kernel{names_.Unique(first.stencil), ops, schedule_};
  if (!tile.stream) kernel.schedule.stream.reset();
  kernel.tile = std::move(tile);
  steps_.emplace_back(Launch{plan_.kernels.Add(std::move(kernel))});
}

BufferId Planner::ChooseTileTarget(const Tile& tile, const TileStore& store, RegionId region) {
  const NodeId node = graph_.versions[store.version].node;
  const auto& op = std::get<Operator>(graph_.nodes[node]);
  const VersionId base = BaseOf(graph_, tile, store.version);
  if (!base.Valid()) return buffers_.Take(ArrayOf(store.version));
  const BufferId source = BufferOf(base);
  const int chain = chain_of_[store.version.index];
  const int pinned = buffers_.ChainOf(source);
  if (MayOverwrite(tile, base, region) && (pinned < 0 || pinned == chain)) return source;
  if (const BufferId vacant = FindVacant(chain); vacant.Valid()) return vacant;
  if (store.whole) return buffers_.Take(ArrayOf(store.version));
  if (const BufferId ready = FindReady(op, base); ready.Valid()) {
    buffers_.TakeThis(ready);
    return ready;
  }
  const BufferId target = buffers_.Take(ArrayOf(store.version));
  CopyBackground(target, source, node, op);
  return target;
}

/// True where the buffer of `base` dies in the tile, and nobody reads it, or every thread only what
/// it stores itself.
bool Planner::MayOverwrite(const Tile& tile, VersionId base, RegionId region) const {
  const auto position = [&](const TileOperator& op) { return uses_.position[op.node.index]; };
  const int last = uses_.last_use[base.index];
  if (uses_.owner[base.index] != region || last < position(tile.ops.front()) ||
      last > position(tile.ops.back())) {
    return false;
  }
  if (!buffers_.Contains(plan_.buffer_of[base.index], base)) return false;
  const bool overlaps = !(tile.halo == Halo{});
  return std::all_of(tile.ops.begin(), tile.ops.end(), [&](const TileOperator& each) {
    const auto& op = std::get<Operator>(graph_.nodes[each.node]);
    if (!overlaps) return ReadsOwnPoint(graph_, op, base);
    return !Reads(graph_, op, base) && !(each.background && op.background == base);
  });
}

}  // namespace stencilgen::plan
