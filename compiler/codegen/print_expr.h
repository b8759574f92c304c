#pragma once

#include <string>

#include "graph/graph.h"

namespace stencilgen::codegen {

/// Text of an expression and how tightly it binds (support/operators.h).
struct ExprText {
  std::string text;
  int precedence = kPrimaryPrecedence;
};

/// How the leaves of an expression read where it stands.
class ExprLeaves {
 public:
  virtual ~ExprLeaves() = default;
  virtual ExprText Element(const graph::Access& access, ScalarType type) = 0;
  virtual ExprText Let(int let) = 0;
  virtual ExprText Iterator(int iterator) = 0;
  virtual ExprText Parameter(graph::ParameterId parameter) = 0;
};

/// The expression in C++, with the parentheses that keep its meaning and no compiler warns about.
/// With `exact_products` no floating product can be contracted into a multiply-add.
std::string PrintExpr(const graph::Graph& graph, graph::ExprId expr, ExprLeaves& leaves,
                      bool exact_products);

}  // namespace stencilgen::codegen
