#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "distribute/distributed.h"
#include "support/diagnostics.h"

namespace stencilgen::distribute {

/// The iterators along which ranks can share the points, and how arrays lie along them. An
/// iterator is left out where some statement reads elsewhere than at fixed distances along it; read
/// only arrays of which that is true every rank has as a whole. The unit-stride iterator is left
/// out where arrays wrap around along it and there are others.
/// Errors: no iterator is left; something that no distribution can do yet.
std::optional<Grid> FindGrid(const graph::Graph& graph, DiagnosticSink& sink);

/// By array: the first of those that hand memory to each other, in loops or by `swap`.
std::vector<std::uint32_t> MemoryClasses(const graph::Graph& graph);

/// How far from its own point the operator reads along the axis by this access: the same distance
/// at every point. Empty where the array does not follow the axis, or the access is constant
/// elsewhere. With a boundary mode that mirrors, either way, and from elements beyond the end of
/// the array as far inwards. Requires: the grid is of the graph.
std::optional<Reach> ReadReach(const Grid& grid, int axis, const graph::Graph& graph,
                               const graph::Operator& op, const graph::Access& access);

/// What an access tells of the points around a rank's own ones: those in direction `to` (Halo) read
/// elements in direction `from`, that lie by `distance` farther out along the axis. `from` steps
/// along the axes of `to`, and perhaps along more, where the access reads in that direction.
struct Shift {
  int to = 0, from = 0;
  std::size_t axis = 0;  ///< that `to` steps along
  std::int64_t distance = 0;
};
/// All of an access. Requires: the grid is of the graph.
std::vector<Shift> ReadShifts(const Grid& grid, const graph::Graph& graph,
                              const graph::Operator& op, const graph::Access& access);

}  // namespace stencilgen::distribute
