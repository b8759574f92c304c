#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

/// Loops in which elements do not meet: `C[i][j] += A[i][k]*B[k][j]` at each turn k.
namespace stencilgen::graph {

/// A loop, or a nest of them, that computes one operator at each turn, whose points change their
/// element by its own value and by what no turn changes: all turns of one point may run before
/// those of another, and give the same values.
struct PointwiseLoop {
  std::vector<NodeId> loops;  ///< outermost first; the body of each is the next one alone
  NodeId op;                  ///< the body of the last
  VersionId entry;            ///< the operator's array at the beginning of a turn of the last loop
};

/// What the loop is, where it is such a one; it has no condition that ends it, no turns left over
/// by others, and counts that are known before it begins.
std::optional<PointwiseLoop> FindPointwiseLoop(const Graph& graph, NodeId loop);

/// True where the operator, of a loop's body, would be alone in a pointwise loop: it reads of what
/// the loop carries its own element alone, and leaves its array to no other operator.
bool IsPointwise(const Graph& graph, const Loop& loop, const Operator& op);

}  // namespace stencilgen::graph
