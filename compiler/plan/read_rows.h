#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::plan {

/// What an operator reads of one array at the points of a block.
struct BlockReads {
  const graph::Operator& op;
  std::vector<const graph::Access*> accesses;  ///< all of one array
  std::int64_t element_bytes = 0;
};

/// Bytes of the sectors that a block of `points` by iterator of the operator reads, each row of the
/// array once: from the first element to the last that an access reads there. A star reads no
/// corners; a stride of `2*i` reads every second row; where a place comes from memory, each point
/// reads a row or an element of its own.
/// Requires: a number of points by iterator, at least one each; accesses of one array with indices.
double BytesOfBlock(const BlockReads& reads, const std::vector<std::int64_t>& points,
                    const graph::ParameterValues& parameters);

}  // namespace stencilgen::plan
