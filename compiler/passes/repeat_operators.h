#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::passes {

/// An operator that is repeated, once for each value of an iterator of its own.
struct RepeatedOperator {
  int iterator = 0;
  graph::Range values;  ///< not empty
};

/// Makes of operators one for each value of an iterator, in its order; each writes over what the
/// one before it has left, and reads what the operator read: all reads before any write.
/// `repeated`: by node.
/// Ensures: outputs are the same, bit for bit. Expressions that nothing uses any more may be left.
graph::Graph RepeatOperators(graph::Graph graph,
                             const std::vector<std::optional<RepeatedOperator>>& repeated);

/// Of a graph with four iterators, one more than kernels have dimensions: repeats the operators
/// along the first one, which counts components (`v[c][k][j][i]`), and drops it. Others stay as
/// they are. Requires: that iterator's values are known, and no reduction is along it.
graph::Graph RepeatComponents(graph::Graph graph);

}  // namespace stencilgen::passes
