#pragma once

#include <vector>

#include "graph/graph.h"
#include "kernel/expr.h"

namespace stencilgen::lower {

/// What the leaves of an expression are where it stands.
class ExprLeaves {
 public:
  virtual ~ExprLeaves() = default;
  virtual kernel::Expr Element(const graph::Access& access, ScalarType type) = 0;
  virtual kernel::Expr Let(int let, ScalarType type) = 0;
  virtual kernel::Expr Iterator(int iterator) = 0;
  virtual kernel::Expr Parameter(graph::ParameterId parameter) = 0;
};

/// The code of an expression. With `exact_products` no floating product can be contracted into a
/// multiply-add. With `fast_division` quotients by roots and of floats are those of math.hpp's
/// ReciprocalRoot and FastDivide, and `2*x - x` is `x`.
kernel::Expr LowerExpr(const graph::Graph& graph, graph::ExprId expr, ExprLeaves& leaves,
                       bool exact_products, bool fast_division = false);

// Operations of the language on values, as the graph has them (graph.h). Integer division by zero
// gives 0, truths are asked for where C would take any number.

kernel::Expr LowerUnary(UnaryOp op, const kernel::Expr& operand);
/// `exact`: as exact_products, of this product.
kernel::Expr LowerBinary(BinaryOp op, ScalarType type, const kernel::Expr& lhs,
                         const kernel::Expr& rhs, bool exact = false);
kernel::Expr LowerConditional(const kernel::Expr& condition, const kernel::Expr& then_value,
                              const kernel::Expr& else_value);
kernel::Expr LowerConvert(ScalarType type, const kernel::Expr& operand);

}  // namespace stencilgen::lower
