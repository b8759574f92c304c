#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "kernel/body.h"
#include "kernel/lower_body.h"

namespace stencilgen::testing {

/// Runs of consecutive operators that one thread can compute together at one point: they have the
/// same iterators, and read each other's results at that point alone.
std::vector<std::vector<const graph::Operator*>> OperatorRuns(const graph::Graph& graph);

/// The body of a run, unrolled: `unroll[n]` neighbouring points along its n-th iterator, 1 for
/// those beyond the end of `unroll`.
kernel::Body BodyOfRun(const graph::Graph& graph, const std::vector<const graph::Operator*>& run,
                       const std::vector<int>& unroll,
                       kernel::Distribute distribute = kernel::Distribute::WhereFree);

/// The graph of a program's text, which must compile.
graph::Graph GraphOfText(const std::string& text);

}  // namespace stencilgen::testing
