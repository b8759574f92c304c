#pragma once

#include "graph/graph.h"
#include "plan/tile.h"

namespace stencilgen::plan {

/// What a version must have around the points that a tile stores for operator `op` (of tile.ops),
/// which reads it at `offset`: the halo of the operator's result, and the reach around that.
///
/// An operator at a wall reads from a few points alone, which most tiles do not have. Reads away
/// from an array's beginning need no more points than the tile has anyhow, as it goes on from
/// there; reads away from its end need those between, once, since the last tile may begin anywhere.
/// So the mirrored and absorbing edges of a program, however many follow each other, do not make
/// the halos of all tiles grow. For that a tile has to store as many points as they reach over.
/// `tile.halo` and `tile.alignment` say how many those are.
/// Requires: the tile's shape, operators, versions and stores, and the halo of the result.
Halo NeededHalo(const graph::Graph& graph, const Tile& tile, int op, const Offset& offset,
                graph::VersionId version);

/// Tile::spared. Nothing where points beyond the ends of arrays stand for others, or statements
/// compute a fixed few points; nor where the distances depend on parameters.
/// Nor in fewer than three dimensions: where memory holds a hundred tiles in a row, one fewer is
/// not worth the tests. Requires: the tile's shape, operators, versions, stores, halos and
/// alignment.
Halo FindSpared(const graph::Graph& graph, const Tile& tile);

}  // namespace stencilgen::plan
