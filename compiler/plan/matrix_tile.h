#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::plan {

/// The elements of one reference that a block has in shared memory at a time: those that its
/// points, and so many turns of the last loop, read ([P] 7.2, 7.3).
struct SharedBox {
  graph::Access access;          ///< of the operator
  std::vector<int> extents;      ///< by dimension of the array
  int row = 1;                   ///< elements from one row to the next: along the last dimension
  std::int64_t byte_offset = 0;  ///< in the block's shared memory
};

/// How a kernel runs whose points read rows and columns of arrays rather than neighbours, as those
/// of products of matrices and transpositions: it has blocks of points, and runs at each of them
/// all turns of the loops around it, the element's values in a register. By iterator means of its
/// operator, outermost first.
struct MatrixTile {
  /// The loops whose turns it runs, outermost first: each has the next one as its body, the last
  /// has the operator. None for a transposition. See graph/pointwise_loops.h.
  std::vector<graph::NodeId> loops;
  std::vector<int> threads;  ///< GPU: of a block, by iterator
  std::vector<int> points;   ///< GPU: of a thread; CPU: of a turn of the nest; by iterator
  std::vector<int> tile;     ///< CPU: points of a tile for the caches, by iterator
  int depth = 1;             ///< turns of the last loop that a box, or a tile for the caches, has
  bool vectors = false;      ///< CPU: points along the last iterator are packs
  std::vector<SharedBox> boxes;  ///< GPU

  /// The box that has the reference's elements; null where none does.
  const SharedBox* Find(const graph::Access& access) const;
};

}  // namespace stencilgen::plan
