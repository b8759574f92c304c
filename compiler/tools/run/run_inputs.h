#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "driver/options.h"
#include "graph/graph.h"
#include "graph/interpret.h"

namespace stencilgen::driver {

/// One program-level array, or scalar (empty shape), with what it holds before the program.
struct HostData {
  std::string name;
  ScalarType type = ScalarType::Double;
  std::vector<std::int64_t> shape;
  bool has_value = false;  ///< a scalar, or copied in or given; else zeros without meaning
  graph::Values values;
  ElementFormat format = ElementFormat::Plain;  ///< of the elements that the program works on
};

/// Everything a host function gets.
struct RunInputs {
  graph::ParameterValues parameters;
  std::vector<HostData> arrays;   ///< rank 1 and more, in declaration order
  std::vector<HostData> scalars;  ///< in declaration order

  const HostData& Array(const std::string& name) const;
};

/// What has that name; null where nothing has. `All`: vectors of HostData.
template <typename All>
auto FindData(All& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const HostData& data) { return data.name == name; });
  return found == all.end() ? nullptr : &*found;
}
std::vector<std::string> NamesOf(const std::vector<HostData>& all);

/// The parts of the complex array of that name, `psi_re` and `psi_im` of `psi`, where there are
/// such and files can hold them.
struct ComplexArray {
  const HostData* re = nullptr;
  const HostData* im = nullptr;
};
std::optional<ComplexArray> FindComplex(const RunInputs& inputs, const std::string& name);

/// Values of the parameters: fixed ones, then defaults. An error names those that have none.
std::variant<graph::ParameterValues, UsageError> ParameterValuesOf(const graph::Graph& graph);

/// Values for a run: sizes from `-D` and defaults, arrays and scalars from the command line, and
/// seeded random numbers for the rest of what is copied in: uniform in [-1, 1], integers in 0..3,
/// narrow ones of all that elements hold.
/// The numbers of an array depend on the seed and its name alone. An array that is copied out but
/// not in may be given too: it keeps these values where none are written.
std::variant<RunInputs, UsageError> PrepareInputs(const graph::Graph& graph,
                                                  const Options& options);

/// Names of the arrays that hold results, in declaration order.
std::vector<std::string> OutputNames(const graph::Graph& graph);

/// Bytes of memory that a process may still take; empty where the system does not tell.
std::optional<double> AvailableMemory();

}  // namespace stencilgen::driver
