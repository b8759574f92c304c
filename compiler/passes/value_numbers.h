#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::passes {

/// What tells two expressions apart.
using ExprKey = std::vector<std::int64_t>;

/// Adds all that the form is.
void Append(ExprKey& key, const graph::LinearForm& form);

/// All that an expression is, but for its operands. Requires: it is no reference to a let.
ExprKey KeyOf(const graph::Expr& expr);

/// Numbers of expressions, the same for two of any operators exactly where these are written alike
/// once their lets are put in: value numbering without arithmetic laws.
class ValueNumbers {
 public:
  /// By let of the operator.
  std::vector<int> NumberLets(const graph::Graph& graph, const graph::Operator& op);
  /// Of an expression of the operator whose lets have those numbers.
  int Number(const graph::Graph& graph, graph::ExprId root, const std::vector<int>& lets);

 private:
  std::map<ExprKey, int> numbers_;
};

}  // namespace stencilgen::passes
