#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "plan/tile.h"

namespace stencilgen::plan {

/// Why operators cannot share a tile, for people.
struct TileRefusal {
  std::string reason;
};

/// The overlapped tile of these operators, in their order: what it loads, how far it reaches, when
/// each plane is made, where it is held, and where threads wait ([S] 3.3, 3.4).
/// `stored`: the results that somebody reads after the kernel. Refused where an operator does not
/// write its own point, needs more than neighbours of another's result, or where the block is too
/// small for the halos or has too little memory.
/// `whole`: those of them that are to be stored all over their arrays; others are where the tile's
/// operators on them have different domains.
/// `scatters`: for the operators that are sums over planes, what FindScatter gives; used as the
/// schedule's form says.
/// Requires: operators of one region, none of rank 0, nothing between them that they depend on.
std::variant<Tile, TileRefusal> BuildTile(const graph::Graph& graph,
                                          const std::vector<graph::NodeId>& ops,
                                          const std::vector<graph::VersionId>& stored,
                                          const std::map<graph::NodeId, Scatter>& scatters,
                                          const Schedule& schedule,
                                          const std::set<graph::VersionId>& whole = {});

/// What the chain of backgrounds of `version` starts from, outside the tile; invalid where that
/// has no value.
graph::VersionId BaseOf(const graph::Graph& graph, const Tile& tile, graph::VersionId version);

/// True where the operator of the tile reads its background from memory, and no element of it that
/// the store writes: only points that it does not compute have the background's value.
bool ReadsFrameOnly(const graph::Graph& graph, const Tile& tile, const TileOperator& op,
                    const TileStore& store);

/// 32-bit registers a thread needs for the planes of the tile.
int PlaneRegisters(const graph::Graph& graph, const Tile& tile);

}  // namespace stencilgen::plan
