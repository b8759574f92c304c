#pragma once

#include <vector>

#include "sema/context.h"

namespace stencilgen::sema {

/// Adds the rounds of a reduction to the graph (graph/reduction.h) and returns their nodes, in
/// order. `points`: an operator with iterators, domain, lets and value, whose values are combined;
/// `result`: a version of an array of one element, which the last round defines.
std::vector<graph::NodeId> AddRounds(Context& context, graph::Operator points, graph::ReduceOp op,
                                     graph::VersionId result);

}  // namespace stencilgen::sema
