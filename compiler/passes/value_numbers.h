#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::passes {

/// Numbers of expressions, the same for two of any operators exactly where these are written alike
/// once their lets are put in: value numbering without arithmetic laws.
class ValueNumbers {
 public:
  /// By let of the operator.
  std::vector<int> NumberLets(const graph::Graph& graph, const graph::Operator& op);

 private:
  int NumberOf(const graph::Graph& graph, graph::ExprId root, const std::vector<int>& lets);

  std::map<std::vector<std::int64_t>, int> numbers_;
};

}  // namespace stencilgen::passes
