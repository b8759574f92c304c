#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// The elements of one array, row-major, or one scalar (one element). bool elements are 0 or 1.
using Values = std::variant<std::vector<std::uint8_t>, std::vector<std::int32_t>,
                            std::vector<float>, std::vector<double>>;
/// `count` elements of the type, all zero.
Values MakeValues(ScalarType type, std::size_t count);
std::size_t SizeOf(const Values& values);
double ElementAsDouble(const Values& values, std::size_t index);

enum class Precision {
  Program,  ///< every operation in its own type, as the generated code with --fp strict
  Double    ///< float computed and kept as double: how far rounding moves a result
};

struct InterpretOptions {
  Precision precision = Precision::Program;
  /// How many at most; 0: as many as the machine runs at a time, where there is enough to do. The
  /// result is the same, bit for bit.
  std::size_t threads = 0;
  /// Is told now and then which part has been done, from 0 to 1.
  std::function<void(double)> progress = {};
};

struct InterpretResult {
  std::string error;  ///< empty on success; else why, e.g. a negative iteration count
  /// One an output of the graph, in its order; in Double precision float arrays come as double.
  std::vector<Values> outputs;
  /// One an output: 1 where the element has a value (was copied in or computed).
  std::vector<std::vector<std::uint8_t>> defined;
};

/// Evaluates the graph directly: the meaning of a program, as grammar/README.md has it.
/// `inputs` holds, by name, every program-level array and scalar the caller has values for; a
/// copyin array or scalar that is missing is an error, an array that is copied out but not in keeps
/// them where nothing is written. `parameters` by parameter index.
/// Requires: Verify(graph) is empty.
InterpretResult Interpret(const Graph& graph, const ParameterValues& parameters,
                          const std::map<std::string, Values>& inputs,
                          const InterpretOptions& options = {});

}  // namespace stencilgen::graph
