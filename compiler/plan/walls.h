#pragma once

#include <optional>

#include "plan/tile.h"

namespace stencilgen::plan {

/// The wall at which operator `op` (of tile.ops) computes; empty where it is none, or the tile does
/// not hold what its other points have.
/// Requires: it is known which planes of its versions the tile holds.
std::optional<Wall> FindWall(const graph::Graph& graph, const Tile& tile, int op);

}  // namespace stencilgen::plan
