#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"
#include "plan/tile_body.h"

namespace stencilgen::plan {

/// All that WriteBody looks at, but for names and numbers of versions: operators of the same key
/// have bodies of as many instructions, in whichever graph and tile they are.
/// Requires: as WriteBody.
std::vector<std::int64_t> SumsKey(const graph::Graph& graph, const Tile& tile, int op,
                                  const std::vector<std::array<int, 3>>& points,
                                  const SumRules& rules);

}  // namespace stencilgen::plan
