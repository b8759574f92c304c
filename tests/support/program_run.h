#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/interpret.h"
#include "support/test_program.h"

namespace stencilgen::testing {

/// A program-level array or scalar of a run.
struct RunObject {
  std::string name;
  ScalarType type = ScalarType::Double;
  ElementFormat format = ElementFormat::Plain;
  std::vector<std::int64_t> shape;
  bool copy_in = false;
  std::vector<std::uint8_t> bytes;  ///< what the host function gets
  int output = -1;                  ///< its place in the graph's outputs, -1 where it has none

  std::size_t count() const { return bytes.size() / static_cast<std::size_t>(ElementBytes(*this)); }
};

/// One run: the arguments of the host function, and what the interpreter makes of them.
struct ProgramRun {
  graph::ParameterValues parameters;
  std::map<std::string, std::int64_t> sizes;  ///< the same by name
  std::vector<RunObject> arrays, scalars;     ///< in declaration order
  graph::InterpretResult reference;
};

/// Inputs depend on the seed, the object's name and the run alone. Arrays that are not copied in
/// hold bytes of 0xff, which are no number: a run that reads them shows.
/// Requires: the program's sizes give every parameter of the graph a value or it has a default.
ProgramRun PrepareRun(const graph::Graph& graph, const TestProgram& program, std::size_t run,
                      std::uint64_t seed);

/// What the host function gets, as the interpreter takes it.
graph::Values ValuesOf(const RunObject& object);

/// The values as the elements of an array in memory.
std::vector<std::uint8_t> ToBytes(const graph::Values& values,
                                  ElementFormat format = ElementFormat::Plain);

/// Why `bytes`, what a host function left in the array, is not what the interpreter computed; empty
/// where it is. `tolerance` is the relative RMS error allowed, 0 for bit equality.
std::string Compare(const RunObject& array, const std::vector<std::uint8_t>& bytes,
                    const graph::InterpretResult& reference, double tolerance);

std::string Compare(const RunObject& array, const graph::Values& values,
                    const graph::InterpretResult& reference, double tolerance);

/// 1e-5 where the graph computes anything in single precision, else 1e-12.
double FastTolerance(const graph::Graph& graph);

}  // namespace stencilgen::testing
