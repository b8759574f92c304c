#pragma once

#include <functional>

#include "graph/graph.h"
#include "kernel/expr.h"

namespace stencilgen::lower::cpp {

/// True where the operator's value may be computed in packs along its last iterator: MayUseVectors
/// (vector_body.h), and all of it is arithmetic of one floating type on elements and numbers.
bool FitsPacks(const graph::Graph& graph, const graph::Operator& op);

/// The operator's value in packs. `element`: what an access is there, a pack or a vector.
/// Requires: FitsPacks.
kernel::Expr LowerPacks(const graph::Graph& graph, const graph::Operator& op,
                        const std::function<kernel::Expr(const graph::Access&)>& element);

}  // namespace stencilgen::lower::cpp
