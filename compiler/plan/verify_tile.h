#pragma once

#include <string>
#include <vector>

#include "plan/tile.h"

namespace stencilgen::plan {

/// What is wrong with the tile: reads that reach beyond halos, planes that are not yet made or no
/// longer held, missing barriers. Empty for a tile that computes what its operators say.
std::vector<std::string> VerifyTile(const graph::Graph& graph, const Tile& tile);

}  // namespace stencilgen::plan
