#include "plan/neighbours.h"

#include <algorithm>
#include <cstdlib>

#include "graph/regions.h"

namespace stencilgen::plan {

using graph::BoundaryKind;

namespace {

/// Threads at edges choose among so many elements at most.
constexpr std::size_t kMostMoved = 31;

}  // namespace

std::optional<Offset> NeighbourOffset(const graph::Operator& op, const graph::Access& access) {
  const auto moves = [](const graph::Boundary& each) { return each.kind != BoundaryKind::None; };
  if (std::any_of(access.boundary.begin(), access.boundary.end(), moves)) return std::nullopt;
  return DistanceOf(op, access);
}

std::optional<Offset> DistanceOf(const graph::Operator& op, const graph::Access& access) {
  if (access.indices.size() != op.iterators.size()) return std::nullopt;
  Offset offset = {0, 0, 0};
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const graph::Index& index = access.indices[d];
    if (index.iterator != op.iterators[d] || index.coefficient != 1 || !index.offset.IsConstant()) {
      return std::nullopt;
    }
    offset[d] = index.offset.constant;
  }
  return offset;
}

std::optional<Offset> FormalOffset(const graph::Graph& graph, const graph::Operator& op,
                                   const graph::Access& access) {
  const auto offset = DistanceOf(op, access);
  if (!offset || access.boundary.empty()) return offset;
  const graph::Array& array = graph.arrays[graph.versions[access.version].array];
  std::size_t choices = 1;  // the offset, and EdgeOffsets
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    if (!Folds(access.boundary[d])) continue;
    // From points beyond the array the nearest element inside may be anywhere.
    if (!graph::AlwaysContains(graph::WholeExtent(array.extents[d]), op.domain.intervals[d])) {
      return std::nullopt;
    }
    choices *= 1 + MovedTo(access.boundary[d], (*offset)[d]).size();
    if (choices > 1 + kMostMoved) return std::nullopt;
  }
  return offset;
}

bool Folds(const graph::Boundary& boundary) {
  return boundary.kind == BoundaryKind::Clamp || boundary.kind == BoundaryKind::Mirror ||
         boundary.kind == BoundaryKind::Mirror101;
}

std::vector<std::int64_t> MovedTo(const graph::Boundary& boundary, std::int64_t offset) {
  std::vector<std::int64_t> moved;
  const std::int64_t reach = std::abs(offset);
  if (boundary.kind == BoundaryKind::Mirror101) {
    // About an element, so that distances stay odd or even; to the only element, if there is one.
    for (std::int64_t at = -reach; at <= reach; ++at) {
      const bool same_parity = (at - offset) % 2 == 0;
      if (at != offset && (at == 0 || same_parity)) moved.push_back(at);
    }
    return moved;
  }
  for (std::int64_t at = 1 - reach; Folds(boundary) && at < reach; ++at) {
    // The nearest element inside is on the way to the one outside.
    const bool before = (offset > 0 && at < 0) || (offset < 0 && at > 0);
    if (boundary.kind == BoundaryKind::Mirror || !before) moved.push_back(at);
  }
  return moved;
}

std::vector<Offset> EdgeOffsets(const graph::Access& access, const Offset& offset) {
  std::vector<Offset> all = {offset};
  for (std::size_t d = 0; d < access.boundary.size(); ++d) {
    const std::vector<std::int64_t> moved = MovedTo(access.boundary[d], offset[d]);
    const std::size_t before = all.size();
    for (std::size_t n = 0; n < before; ++n) {
      for (const std::int64_t at : moved) {
        all.push_back(all[n]);
        all.back()[d] = at;
      }
    }
  }
  all.erase(all.begin());
  return all;
}

}  // namespace stencilgen::plan
