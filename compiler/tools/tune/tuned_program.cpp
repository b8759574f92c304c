#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "driver/choose_schedule.h"
#include "support/parallel.h"
#include "tools/explain/metrics.h"
#include "tools/tune/tuner.h"

namespace stencilgen::driver {

namespace {

std::variant<PipelineOptions, UsageError> PipelineFor(const TunedProgram& program,
                                                      const OptionSet& set) {
  auto options = WithOptions(program.options, set, program.loaded->program->interface);
  if (auto* error = std::get_if<UsageError>(&options)) return *error;
  PipelineOptions pipeline =
      MakePipelineOptions(std::get<Options>(options), program.loaded->program->interface);
  pipeline.fixed.clear();
  pipeline.fusion_check = program.loaded->pipeline.fusion_check;
  pipeline.fusion_foresight = program.loaded->pipeline.fusion_foresight;
  // Which command made a candidate is no part of it.
  pipeline.codegen.command_line.clear();
  return pipeline;
}

std::set<graph::ParameterId> ExtentParameters(const graph::Graph& graph) {
  std::set<graph::ParameterId> found;
  for (const graph::Array& array : graph.arrays) {
    for (const graph::LinearForm& extent : array.extents) {
      for (const auto& [id, factor] : extent.terms) found.insert(id);
    }
  }
  return found;
}

graph::Graph WithDefaults(graph::Graph graph, const graph::ParameterValues& values) {
  for (graph::ParameterId id : graph::SizesOf(graph)) {
    graph.parameters[id].default_value = values[id.index];
  }
  return graph;
}

}  // namespace

TunedCode CodeFor(const TunedProgram& program, const OptionSet& set) {
  TunedCode code;
  auto pipeline = PipelineFor(program, set);
  if (auto* error = std::get_if<UsageError>(&pipeline)) {
    code.error = error->message;
    return code;
  }
  const auto& options = std::get<PipelineOptions>(pipeline);
  const Compiled compiled =
      EmitCode(CompileToPlan(program.graph, options), *program.loaded->source, options);
  CodegenOptions trampoline = options.codegen;
  trampoline.function = options.program_name;
  code.text = compiled.text + codegen::EmitTrampoline(compiled.module, trampoline);
  return code;
}

std::vector<std::optional<double>> PredictAll(const TunedProgram& program,
                                              const std::vector<OptionSet>& sets, int jobs) {
  std::vector<std::optional<double>> seconds(sets.size());
  ForEachInParallel(sets.size(), static_cast<std::size_t>(jobs), [&](std::size_t k) {
    auto pipeline = PipelineFor(program, sets[k]);
    if (std::holds_alternative<UsageError>(pipeline)) return;
    const auto& options = std::get<PipelineOptions>(pipeline);
    seconds[k] = options.target == Target::Cpp
                     ? 0
                     : CompileToChosenPlan(program.graph, options).chosen.seconds;
  });
  return seconds;
}

std::vector<graph::ParameterValues> CheckedSizes(const graph::Graph& graph,
                                                 const graph::ParameterValues& sizes) {
  // Large enough for blocks in the midst of most tiles, for outer dimensions first.
  static constexpr std::array<std::array<std::int64_t, 3>, 3> kOdd = {
      {{20011, 0, 0}, {203, 1037, 0}, {37, 61, 147}}};
  constexpr std::int64_t kSame = 75;
  constexpr std::int64_t kMostSteps = 19;
  constexpr std::int64_t kTiny = 16;
  const std::size_t dimensions =
      std::min<std::size_t>(std::max<std::size_t>(graph.iterators.size(), 1), 3);
  const std::set<graph::ParameterId> extents = ExtentParameters(graph);
  const auto smaller = [](std::int64_t value, std::int64_t wanted) {
    if (value <= kTiny) return value;
    return value > wanted ? wanted : (value - 3) | 1;
  };
  graph::ParameterValues different = sizes;
  graph::ParameterValues same = sizes;
  graph::ParameterValues whole = sizes;
  std::size_t seen = 0;
  for (graph::ParameterId id : graph::SizesOf(graph)) {
    const std::int64_t value = sizes[id.index];
    if (extents.count(id) == 0) {
      different[id.index] = same[id.index] = whole[id.index] = std::min(value, kMostSteps);
      continue;
    }
    const std::int64_t wanted = kOdd[dimensions - 1][std::min(seen++, dimensions - 1)];
    different[id.index] = smaller(value, wanted);
    same[id.index] = smaller(value, kSame);
  }
  return {different, same, whole};
}

std::optional<UsageError> PrepareChecks(TunedProgram& program) {
  Options options = program.options;
  options.run.in.clear();  // which have the size that counts
  std::string reason = "it has no points";
  for (const auto& sizes : CheckedSizes(program.graph, program.inputs.timed.parameters)) {
    auto prepared = PrepareInputs(WithDefaults(program.graph, sizes), options);
    if (auto* error = std::get_if<UsageError>(&prepared)) {
      reason = error->message;
      continue;
    }
    auto& inputs = std::get<RunInputs>(prepared);
    if (CountWork(program.graph, sizes).points == 0) continue;
    graph::InterpretResult reference =
        graph::Interpret(program.graph, inputs.parameters, InterpreterInputs(inputs));
    if (!reference.error.empty()) {
      reason = reference.error;
      continue;
    }
    program.inputs.checked = std::move(inputs);
    program.inputs.reference = std::move(reference);
    return std::nullopt;
  }
  return UsageError{fmt::format("the program cannot be evaluated: {}", reason),
                    "sizes are given with -D NAME=VALUE"};
}

}  // namespace stencilgen::driver
