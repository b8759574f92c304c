#include "gpu_pack/expected.h"

#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpu_pack/template/inputs.h"
#include "graph/interpret.h"
#include "support/program_run.h"

namespace stencilgen::suite {
namespace {

std::size_t CountOf(const graph::Array& array, const graph::ParameterValues& parameters) {
  std::size_t count = 1;
  for (const graph::LinearForm& extent : array.extents) {
    count *= static_cast<std::size_t>(graph::Evaluate(extent, parameters));
  }
  return count;
}

graph::Values MakeInput(ScalarType type, std::size_t count, std::uint64_t seed, double lowest) {
  graph::Values values = graph::MakeValues(type, count);
  std::visit(
      [&](auto& elements) {
        using T = typename std::decay_t<decltype(elements)>::value_type;
        for (std::size_t n = 0; n < elements.size(); ++n) {
          elements[n] = pack::Input<T>(seed, n, lowest);
        }
      },
      values);
  return values;
}

/// `expected ARRAY ...` and, where some elements have no value, `undefined ARRAY first count ...`.
std::string OutputLines(std::size_t place, const graph::Values& values,
                        const std::vector<std::uint8_t>& defined) {
  pack::Sketch sketch;
  std::vector<std::size_t> runs;
  for (std::size_t n = 0; n < defined.size(); ++n) {
    const double value = graph::ElementAsDouble(values, n);
    if (defined[n] != 0 && std::isfinite(value)) {
      sketch.Add(n, value);
    } else if (!runs.empty() && runs[runs.size() - 2] + runs.back() == n) {
      ++runs.back();
    } else {
      runs.insert(runs.end(), {n, 1});
    }
  }
  std::string lines = fmt::format("expected {} {} {:.17g} {:.17g}\n", place, sketch.count,
                                  sketch.squares, fmt::join(sketch.sums, " "));
  if (!runs.empty()) lines += fmt::format("undefined {} {}\n", place, fmt::join(runs, " "));
  return lines;
}

}  // namespace

graph::ParameterValues ValuesOf(const graph::Graph& graph,
                                const std::map<std::string, std::int64_t>& sizes) {
  graph::ParameterValues values;
  for (const graph::Parameter& parameter : graph.parameters) {
    const auto given = sizes.find(parameter.name);
    values.push_back(given != sizes.end() ? given->second : 1);
  }
  return values;
}

std::string CountsText(const graph::Graph& graph, const graph::ParameterValues& parameters) {
  std::vector<std::size_t> counts;
  for (const graph::Array& array : graph.arrays) {
    if (!array.local && array.rank() > 0) counts.push_back(CountOf(array, parameters));
  }
  return fmt::format("{}", fmt::join(counts, " "));
}

std::string DescribeArguments(const graph::Graph& graph, const testing::Benchmark& benchmark,
                              std::string& problem) {
  const graph::ParameterValues small = ValuesOf(graph, benchmark.small);
  int steps = -1;
  for (const graph::ParameterId id : graph.parameters.Ids()) {
    if (graph.parameters[id].name == "T") steps = static_cast<int>(id.index);
  }
  std::string text = fmt::format("program {} {} {}\n", steps, benchmark.lowest_input,
                                 testing::FastTolerance(graph));
  std::map<std::string, graph::Values> inputs;
  std::map<std::string, std::size_t> places;
  for (const graph::Array& array : graph.arrays) {
    if (array.local) continue;
    if (array.rank() == 0) {
      graph::Values value = graph::MakeValues(array.type, 1);
      const auto given = benchmark.scalars.find(array.name);
      if (given == benchmark.scalars.end()) {
        problem = fmt::format("{} has no value for {}", benchmark.name, array.name);
        return "";
      }
      std::visit(
          [&](auto& elements) {
            elements[0] = static_cast<std::decay_t<decltype(elements[0])>>(given->second);
          },
          value);
      text += fmt::format("scalar {} {:.17g}\n", ToString(array.type), given->second);
      inputs.emplace(array.name, std::move(value));
      continue;
    }
    const std::size_t place = places.size();
    places[array.name] = place;
    text += fmt::format("array {} {}\n", ToString(array.type), array.copy_out ? 1 : 0);
    if (!array.copy_in) continue;
    inputs.emplace(array.name,
                   MakeInput(array.type, CountOf(array, small), place + 1, benchmark.lowest_input));
  }
  text += fmt::format("parameters small {}\ncounts small {}\n", fmt::join(small, " "),
                      CountsText(graph, small));
  const graph::InterpretResult reference = graph::Interpret(graph, small, inputs);
  if (!reference.error.empty()) {
    problem = reference.error;
    return "";
  }
  for (std::size_t n = 0; n < graph.outputs.size(); ++n) {
    const std::string& name = graph.arrays[graph.outputs[n].array].name;
    text += OutputLines(places.at(name), reference.outputs[n], reference.defined[n]);
  }
  return text;
}

}  // namespace stencilgen::suite
