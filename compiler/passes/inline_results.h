#pragma once

#include <set>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "passes/crossing.h"

namespace stencilgen::passes {

/// Results that operators of other parts read at their own points alone, and nobody else: where the
/// rule does not store them, those operators compute them as lets. An operator whose result nobody
/// reads any more is dead. `kept`: names of arrays whose results stay.
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is, and the graph means the same, bit
/// for bit.
std::vector<CrossingValue> InlineResults(graph::Graph& graph, const Stretch& stretch,
                                         const CrossingRule& rule,
                                         const std::set<std::string>& kept);

}  // namespace stencilgen::passes
