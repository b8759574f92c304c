#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "passes/crossing.h"

namespace stencilgen::passes {

/// What became of a program's statements.
struct FissionReport {
  std::vector<Stretch> stretches;
  std::vector<CrossingValue> crossings;
  /// Stretches that have fewer parts than wanted, and why: `rhs has 1 statement of 9 flops`.
  std::vector<std::string> refusals;
};

struct Fission {
  graph::Graph graph;
  FissionReport report;
};

/// Kernel fission, the opposite of fusion, for programs that one kernel has too few registers for.
/// Cuts each stretch of operators on arrays, between loops and scalars, into `parts` of about equal
/// work ([S] 4.3.4), which keep their order. Accumulations into one array stay together where that
/// leaves enough parts. Where there are fewer statements than parts, long ones are cut as well
/// (CutStatement). What crosses from part to part is recomputed or stored as the rule says.
///
/// Requires: graph::Verify(graph) is empty, no operator is dead, parts >= 1. Ensures: the graph
/// still is valid and means the same, bit for bit; every operator on an array is in one part.
Fission SplitKernels(graph::Graph graph, int parts, const CrossingRule& rule);

/// Where to cut a list of weights into at most `parts` runs, none empty, so that the heaviest is as
/// light as can be: the first place of each run. Requires: parts >= 1, weights >= 1.
std::vector<std::size_t> CutEvenly(const std::vector<std::int64_t>& weights, int parts);

}  // namespace stencilgen::passes
