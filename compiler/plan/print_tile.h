#pragma once

#include <string>
#include <vector>

#include "plan/tile.h"

namespace stencilgen::plan {

/// The tile in lines of text: its size, what it holds where, and what a step does.
std::vector<std::string> TileLines(const graph::Graph& graph, const Tile& tile);

}  // namespace stencilgen::plan
