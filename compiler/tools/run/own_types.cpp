#include "tools/run/own_types.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "driver/pipeline.h"
#include "driver/progress.h"
#include "graph/element_format.h"
#include "support/match.h"
#include "tools/run/execute.h"

namespace stencilgen::driver {

namespace {

graph::Values Converted(const graph::Values& values, ScalarType type, ElementFormat format) {
  graph::Values converted = graph::MakeValues(type, graph::SizeOf(values));
  Match(converted, [&](auto& to) {
    using T = typename std::decay_t<decltype(to)>::value_type;
    for (std::size_t k = 0; k < to.size(); ++k) {
      to[k] = static_cast<T>(graph::Nearest(format, graph::ElementAsDouble(values, k)));
    }
  });
  return converted;
}

}  // namespace

std::variant<OwnTypes, UsageError> PrepareOwnTypes(const LoadedProgram& loaded,
                                                   const graph::Graph& graph,
                                                   const Options& options) {
  PipelineOptions pipeline = loaded.pipeline;
  pipeline.types.clear();
  DiagnosticSink sink;
  auto own = CompileToGraph(*loaded.program, pipeline, sink);
  if (!own) {
    return UsageError{"--precision: the program has errors without it", "compile it first"};
  }
  // What is counted may have a value that the options give.
  for (const graph::ParameterId id : graph.parameters.Ids()) {
    own->parameters[id].default_value = graph.parameters[id].default_value;
  }
  auto inputs = PrepareInputs(*own, options);
  if (auto* error = std::get_if<UsageError>(&inputs)) return *error;
  return OwnTypes{std::move(*own), std::get<RunInputs>(std::move(inputs))};
}

RunInputs InputsFor(const graph::Graph& graph, const RunInputs& inputs) {
  RunInputs converted = inputs;
  for (auto* all : {&converted.arrays, &converted.scalars}) {
    for (HostData& data : *all) {
      const auto declared = std::find_if(
          graph.arrays.begin(), graph.arrays.end(),
          [&](const graph::Array& array) { return !array.local && array.name == data.name; });
      if (declared == graph.arrays.end()) continue;
      if (declared->type == data.type && declared->format == data.format) continue;
      data.type = declared->type;
      data.format = declared->format;
      data.values = Converted(data.values, data.type, data.format);
    }
  }
  return converted;
}

std::variant<std::vector<TypeError>, std::string> CompareWithOwnTypes(
    const OwnTypes& own, const std::vector<graph::Values>& outputs) {
  Progress progress("computing with the program's own types");
  const graph::InterpretResult reference =
      graph::Interpret(own.graph, own.inputs.parameters, InterpreterInputs(own.inputs),
                       {.progress = [&](double part) { progress.Done(part); }});
  if (!reference.error.empty()) return reference.error;
  std::vector<TypeError> errors;
  for (std::size_t n = 0; n < outputs.size(); ++n) {
    TypeError error;
    error.name = own.graph.arrays[own.graph.outputs[n].array].name;
    double differences = 0, squares = 0;
    for (std::size_t k = 0; k < graph::SizeOf(outputs[n]); ++k) {
      if (reference.defined[n][k] == 0) continue;
      const double wanted = graph::ElementAsDouble(reference.outputs[n], k);
      const double got = graph::ElementAsDouble(outputs[n], k);
      if (got == wanted || (std::isnan(got) && std::isnan(wanted))) {
        squares += std::isfinite(wanted) ? wanted * wanted : 0;
        continue;
      }
      double difference = got - wanted;
      if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
      differences += difference * difference;
      squares += std::isfinite(wanted) ? wanted * wanted : 0;
      error.max_abs_error = std::max(error.max_abs_error, std::fabs(difference));
    }
    if (differences > 0) error.rel_rms = std::sqrt(differences / squares);
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace stencilgen::driver
