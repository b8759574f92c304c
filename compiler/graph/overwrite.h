#pragma once

#include "graph/graph.h"

namespace stencilgen::graph {

/// True where no number is in both, for every choice of parameters.
bool AlwaysApart(const Interval& a, const Interval& b);

/// True where the operator may write its result over `version`, its points in any order: each reads
/// of it only the element that it writes, and elements that no point writes, as edges do that are
/// set from what is next to them.
bool MayWriteOver(const Graph& graph, const Operator& op, VersionId version);

}  // namespace stencilgen::graph
