#pragma once

#include "graph/graph.h"
#include "support/match.h"

/// Nodes by their kind. Where a node may be of any kind it is matched, every kind by name, so that
/// a new kind does not compile before each place has its answer.
namespace stencilgen::graph {

/// The operator, or the loop, that a node is. Requires: it is one.
const Operator& OperatorOf(const Graph& graph, NodeId node);
Operator& OperatorOf(Graph& graph, NodeId node);
const Loop& LoopOf(const Graph& graph, NodeId node);
Loop& LoopOf(Graph& graph, NodeId node);

/// True where the program has a loop.
bool HasLoop(const Graph& graph);

}  // namespace stencilgen::graph
