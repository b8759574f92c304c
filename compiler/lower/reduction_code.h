#pragma once

#include "graph/graph.h"
#include "kernel/expr.h"
#include "support/scalar_type.h"

namespace stencilgen::lower {

/// The value that a reduction of the type begins with.
kernel::Expr BeginningOf(graph::ReduceOp op, ScalarType type);
/// Of the operator. Requires: it is a reduction.
kernel::Expr BeginningOf(const graph::Graph& graph, const graph::Operator& op);

/// Both values combined, the earlier one first.
kernel::Expr Combined(graph::ReduceOp op, ScalarType type, const kernel::Expr& before,
                      const kernel::Expr& value);

}  // namespace stencilgen::lower
