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

/// Values of the iterator that belong to each point of the axis that it walks, in the operator: the
/// point of value `i` is `floor(i / scale)`. 1 where it walks no axis.
/// Requires: the grid is of the graph.
std::int64_t IteratorScale(const Grid& grid, const graph::Graph& graph, const graph::Operator& op,
                           int iterator);

/// How far an operator reads along an axis: what writes all elements up to `n` beyond a rank's own
/// ones reads no element that lies farther beyond them than
/// `factor * floor((n + before) / divisor) + after`. Where all scales are 1 that is one distance.
struct ReadReach {
  std::int64_t divisor = 1, before = 0;
  std::int64_t factor = 1, after = 0;

  /// What is read of elements up to `n`; Halo::kNever stays that.
  std::int64_t Read(std::int64_t n) const;
  /// The most elements that can be written of those up to `read`: the largest `n` whose Read is no
  /// more.
  std::int64_t Written(std::int64_t read) const;
};

/// What an access tells of the elements around a rank's own ones: those in direction `to` (Halo)
/// are computed of elements in direction `from`, that lie by `reach` farther out along the axis.
/// `from` steps along the axes of `to`, and perhaps along more, where the access reads in that
/// direction.
struct Shift {
  int to = 0, from = 0;
  std::size_t axis = 0;  ///< that `to` steps along
  ReadReach reach;
};
/// All of an access. Requires: the grid is of the graph.
std::vector<Shift> ReadShifts(const Grid& grid, const graph::Graph& graph,
                              const graph::Operator& op, const graph::Access& access);

}  // namespace stencilgen::distribute
