#pragma once

#include <vector>

#include "graph/graph.h"
#include "kernel/body.h"
#include "kernel/value_dag.h"

namespace stencilgen::kernel {

/// The statements as one body of three-address code ([S] 5.3.1), computed one after the other in
/// the order given, each as its operator is written, but for the freedom of floating-point
/// arithmetic: sums are contributions to an accumulation, `t += 0.1 * in[c]`, and equal values are
/// computed once, lets among them. An operator that reads the result of another of the body at one
/// of its points gets the value.
/// Requires: each statement's operator is in `ops`; no operator has rank 0.
/// Ensures: Verify finds nothing; the result of statement k is results[k].
Body LowerBody(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops,
               const std::vector<Statement>& statements,
               Distribute distribute = Distribute::WhereFree);

/// Each operator at each of the points, in the order of the points, the last iterator fastest.
/// `points[n]`: the offsets along the operators' n-th iterator, which all of them have.
std::vector<Statement> StatementsAt(std::size_t ops,
                                    const std::vector<std::vector<std::int64_t>>& points);

}  // namespace stencilgen::kernel
