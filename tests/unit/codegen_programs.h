#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/interpret.h"

/// Programs for the tests that compile and run what is emitted: between them they use everything a
/// kernel can hold.
namespace stencilgen::testing {

struct CodegenProgram {
  std::string name;
  graph::Graph graph;
  /// Parameters of each run, by index.
  std::vector<graph::ParameterValues> runs;
};

std::vector<CodegenProgram> CodegenPrograms();

/// Values for every program-level array and scalar, repeatable, floating-point ones in [-1, 1].
std::map<std::string, graph::Values> SomeValues(const graph::Graph& graph,
                                                const graph::ParameterValues& parameters);

}  // namespace stencilgen::testing
