#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"
#include "suite/machine.h"

namespace stencilgen::suite {

/// A program for rivals/devito_worker.py: its arrays as Functions and TimeFunctions of two levels,
/// its statements as equations in Python, each on an inner part of the grid. Empty, with the reason
/// in `problem`, where the program has no form as natural as that: boundary modes, strides,
/// conditions, integers, several loops, walls.
std::optional<Json> DevitoProgram(const graph::Graph& graph, std::string& problem);

}  // namespace stencilgen::suite
