#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/builder.h"

namespace stencilgen::testing {

using graph::At;
using graph::Fixed;
using graph::Size;
using ArrayHandle = graph::BuiltArray;
using Bounds = graph::BuiltBounds;
using Ex = graph::BuiltExpr;

/// Small graphs for unit tests, as graph::Builder makes them, whatever is wrong with them.
class GraphBuilder : public graph::Builder {
 public:
  explicit GraphBuilder(std::vector<std::string> iterators)
      : Builder("test", std::move(iterators)) {}

  graph::Graph Finish() { return Take(); }
};

}  // namespace stencilgen::testing
