#pragma once

#include <utility>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// Makes a loop while what is in it is made: what it carries before, the rest after.
class LoopBuilder {
 public:
  /// Requires: the graph outlives it.
  LoopBuilder(Graph& graph, LinearForm count, Span span, ParameterId turn = {});

  /// Carries an array whose version before the loop is `initial`. Returns the version that its body
  /// begins with.
  VersionId Carry(ArrayId array, VersionId initial);
  /// Lets the loop end before its turns are over.
  void StopAt(Stop stop) { loop_.stop = std::move(stop); }
  /// Adds the loop, around these nodes. `present` has the version of each carried array at the end
  /// of the body, and gets the one after the loop.
  NodeId Close(std::vector<NodeId> body, std::vector<VersionId>& present);

 private:
  Graph& graph_;
  Loop loop_;
};

}  // namespace stencilgen::graph
