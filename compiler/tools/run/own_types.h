#pragma once

#include <string>
#include <variant>
#include <vector>

#include "driver/compile.h"
#include "graph/graph.h"
#include "graph/interpret.h"
#include "tools/run/run_inputs.h"

/// A program that `--precision` gives other types, beside itself with its own.
namespace stencilgen::driver {

/// The program with its own types, and inputs of these.
struct OwnTypes {
  graph::Graph graph;
  RunInputs inputs;
};

/// How far an output is from that of the program with its own types.
struct TypeError {
  std::string name;
  double rel_rms = 0;  ///< root of (sum of squared differences / sum of squares)
  double max_abs_error = 0;
};

/// Inputs as they are for the program with its own types: files have these.
/// Requires: the graph is of the loaded program.
std::variant<OwnTypes, UsageError> PrepareOwnTypes(const LoadedProgram& loaded,
                                                   const graph::Graph& graph,
                                                   const Options& options);

/// The inputs with the types of the graph, rounded to what these hold.
RunInputs InputsFor(const graph::Graph& graph, const RunInputs& inputs);

/// Interprets the program with its own types and compares. One an output.
/// Requires: outputs are those of a graph that differs in types alone.
std::variant<std::vector<TypeError>, std::string> CompareWithOwnTypes(
    const OwnTypes& own, const std::vector<graph::Values>& outputs);

}  // namespace stencilgen::driver
