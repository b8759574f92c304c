#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "plan/buffer_pool.h"
#include "plan/names.h"
#include "plan/plan.h"
#include "plan/scalar_pool.h"
#include "plan/version_uses.h"

namespace stencilgen::plan {

/// The state of PlanKernels: walks the graph in order and assigns buffers as it goes.
class Planner {
 public:
  /// `cluster_of`: by node, operators that share a kernel have the same number and follow each
  /// other; -1 where an operator is alone. Fusion::Max goes without.
  Planner(graph::Graph graph, const Schedule& schedule, std::vector<int> cluster_of);
  Plan Run() &&;

 private:
  /// Versions of one carried array that are all written on the same elements. The elements outside
  /// keep one value throughout the loop, so that the chain's own buffers need them copied only
  /// once, before the loop.
  struct Chain {
    std::vector<graph::VersionId> versions;  ///< of operators of the body, last first
    std::vector<BufferId> buffers;           ///< the entry's and the alternate
  };

  /// Operators that follow each other and share a tile.
  struct TileGroup {
    std::vector<graph::NodeId> ops;
    Tile tile;
  };

  void ReserveNames();
  void AddHomes();
  void PlanRegion(graph::RegionId region);
  void Release(graph::VersionId version);

  void PlanOperator(graph::NodeId node, const graph::Operator& op, graph::RegionId region);
  BufferId ChooseTarget(graph::NodeId node, const graph::Operator& op, graph::RegionId region);
  void FindTiles();
  void FindTilesOf(graph::RegionId region);
  std::optional<TileGroup> FindTileFrom(std::size_t first, graph::RegionId region);
  std::vector<int> KernelOf() const;
  std::size_t MostFrom(std::size_t first, const std::vector<graph::NodeId>& nodes) const;
  void SplitByPlanes(graph::NodeId node);
  std::vector<graph::VersionId> StoredOf(const std::vector<graph::NodeId>& ops) const;
  void PlanTile(TileGroup group, graph::RegionId region);
  BufferId ChooseTileTarget(const Tile& tile, const TileStore& store, graph::RegionId region);
  void StoreFrames(TileGroup& group, graph::RegionId region) const;
  BufferId FindTileTarget(const Tile& tile, const TileStore& store, graph::RegionId region) const;
  bool NeedsCopy(const Tile& tile, const TileStore& store, graph::RegionId region) const;
  bool MayOverwrite(const Tile& tile, const TileStore& store, graph::VersionId base,
                    graph::RegionId region) const;
  bool CanOverwrite(const graph::Operator& op, graph::NodeId node, graph::RegionId region) const;
  void CopyBackground(BufferId target, BufferId source, graph::NodeId node,
                      const graph::Operator& op);
  BufferId FindReady(const graph::Operator& op, graph::VersionId from) const;
  BufferId FindVacant(int chain) const;

  void PlanLoop(graph::NodeId node, const graph::Loop& loop, graph::RegionId region);
  void EnterLoop(graph::NodeId node, const graph::Loop& loop, graph::RegionId region);
  void EnterBuffer(const graph::Carried& carried, bool may_take_over);
  void EnterScalar(const graph::Carried& carried, bool may_take_over);
  Chain FindChain(const graph::Carried& carried, graph::RegionId body) const;
  bool NeedsAlternate(graph::VersionId version, graph::RegionId body) const;
  void SetAside(const graph::Carried& carried, Chain chain);
  void LeaveLoop(const graph::Loop& loop, const std::vector<int>& chains, Repeat& repeat);
  void LeaveScalar(const graph::Carried& carried, Repeat& repeat);
  std::vector<std::pair<BufferId, BufferId>> NextBuffers(const graph::Loop& loop);

  BufferId& BufferOf(graph::VersionId version) { return plan_.buffer_of[version.index]; }
  graph::ArrayId ArrayOf(graph::VersionId version) const { return graph_.versions[version].array; }
  bool IsScalar(graph::VersionId version) const {
    return graph_.arrays[ArrayOf(version)].rank() == 0;
  }

  Plan plan_;
  const graph::Graph& graph_;  ///< the plan's own
  Schedule schedule_;
  std::vector<int> cluster_of_;
  std::map<graph::NodeId, Scatter> scatters_;
  VersionUses uses_;
  NameTable names_;
  BufferPool buffers_;
  ScalarPool scalars_;
  std::map<graph::NodeId, TileGroup> tiles_;        ///< by first operator
  std::map<graph::NodeId, graph::NodeId> tile_of_;  ///< by operator in one: the tile's first
  std::vector<Step> steps_;                         ///< of the region being planned
  std::vector<Chain> chains_;
  std::vector<int> chain_of_;  ///< by version, -1 where it is in none
};

}  // namespace stencilgen::plan
