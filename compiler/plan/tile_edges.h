#pragma once

#include <string>
#include <vector>

#include "plan/tile.h"

/// Boundary modes in tiles. What reads beyond an edge of its array finds the element there that the
/// mode says in two ways:
/// - `clamp`, `mirror` and `mirror101` move the read to another element near the edge, which the
/// tile holds too:
///   threads at edges choose among those (`constant`: or the constant);
/// - `wrap` continues the array: blocks at edges load, and compute, points beyond them as others
///   do, from elements at coordinates modulo the extent (TileVersion::wraps).
/// Blocks and planes away from edges do as if there were no modes.
namespace stencilgen::plan {

/// What threads at edges read besides FindReads.
std::vector<TileRead> FindEdgeReads(const graph::Graph& graph, const Tile& tile, int op);

/// What threads read, at edges and away from them: FindReads, then FindEdgeReads.
std::vector<TileRead> FindAllReads(const graph::Graph& graph, const Tile& tile, int op);

/// Sets TileVersion::wraps of all versions. Why that cannot be, else empty: an operator whose
/// result is needed beyond an edge must compute the whole array along that dimension, out of
/// versions of the same extent.
std::string SpreadWraps(const graph::Graph& graph, Tile& tile);

/// Why TileVersion::wraps is not as SpreadWraps must have it; empty where it is.
std::string VerifyWraps(const graph::Graph& graph, const Tile& tile);

}  // namespace stencilgen::plan
