#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

/// How far from the point that an operator computes the elements are that it reads.
namespace stencilgen::plan {

/// By dimension of a tile: that of the operator's iterators and of the arrays it reads.
using Offset = std::array<std::int64_t, 3>;

/// The distance of the element from the operator's point, by dimension; empty where it is none
/// that is the same everywhere, or a boundary mode may change it.
std::optional<Offset> NeighbourOffset(const graph::Operator& op, const graph::Access& access);

/// The same, whatever boundary modes do.
std::optional<Offset> DistanceOf(const graph::Operator& op, const graph::Access& access);

/// As NeighbourOffset, also where boundary modes change it: the distance away from edges. Empty
/// where they may change it to more than a few others (EdgeOffsets), or to any.
std::optional<Offset> FormalOffset(const graph::Graph& graph, const graph::Operator& op,
                                   const graph::Access& access);

/// True where the mode may move a read to another element near the edge: `clamp`, `mirror`,
/// `mirror101`.
bool Folds(const graph::Boundary& boundary);

/// The distances to which the mode may move a read at `offset`, along one dimension, from points
/// inside the array; none where it moves none, or continues the array (`wrap`).
std::vector<std::int64_t> MovedTo(const graph::Boundary& boundary, std::int64_t offset);

/// Where boundary modes may move the read of an operator at `offset`, its FormalOffset, which is
/// not among them.
std::vector<Offset> EdgeOffsets(const graph::Access& access, const Offset& offset);

}  // namespace stencilgen::plan
