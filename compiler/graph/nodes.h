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

/// The program's iterators from the outermost one on that some operator walks: 2 where all walk
/// `j` and `i` of `c, j, i`.
std::size_t WalkedDimensions(const Graph& graph);

/// True where the program has a loop.
bool HasLoop(const Graph& graph);

}  // namespace stencilgen::graph
