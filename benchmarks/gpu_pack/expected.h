#pragma once

#include <string>

#include "graph/graph.h"
#include "support/suite.h"

namespace stencilgen::suite {

/// Lines of a pack's index on the arguments of a program: arrays, scalars, its small sizes, and
/// checksums of what the interpreter makes of the inputs there. On failure empty, with the reason
/// in `problem`.
std::string DescribeArguments(const graph::Graph& graph, const testing::Benchmark& benchmark,
                              std::string& problem);

/// `1 2 3`: elements of each array of the program at these sizes.
std::string CountsText(const graph::Graph& graph, const graph::ParameterValues& parameters);

/// Values of the parameters; 1 for those that are missing.
graph::ParameterValues ValuesOf(const graph::Graph& graph,
                                const std::map<std::string, std::int64_t>& sizes);

}  // namespace stencilgen::suite
