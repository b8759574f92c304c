#include "driver/pipeline.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "frontend/parse.h"
#include "graph/verify.h"
#include "passes/eliminate_dead.h"
#include "passes/simplify_boundaries.h"
#include "passes/unroll_time.h"
#include "passes/use_reciprocals.h"
#include "plan/plan_kernels.h"
#include "plan/verify.h"
#include "sema/build_graph.h"
#include "support/check.h"

namespace stencilgen::driver {

namespace {

void RequireNothingBroken(const char* stage, const std::vector<std::string>& broken) {
  for (const std::string& what : broken) fmt::print(stderr, "after {}: {}\n", stage, what);
  STENCILGEN_CHECK(broken.empty());
}

/// The graph, checked where that is on.
graph::Graph Stage(const char* name, graph::Graph graph, const PipelineOptions& options) {
  if (options.verify) RequireNothingBroken(name, graph::Verify(graph));
  return graph;
}

/// The program's own `unroll` where the command line says nothing.
plan::Schedule ChooseSchedule(const graph::Graph& graph, const PipelineOptions& options) {
  plan::Schedule schedule = options.schedule;
  const std::size_t dimensions = graph.unroll_wishes.size();
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    const std::size_t iterator = dimensions - 1 - axis;
    if (!options.unroll_given[axis]) schedule.unroll[axis] = graph.unroll_wishes[iterator];
  }
  return schedule;
}

}  // namespace

std::optional<graph::Graph> CompileToGraph(const SourceFile& source, const PipelineOptions& options,
                                           DiagnosticSink& sink) {
  const std::optional<ast::Program> program = Parse(source, sink);
  if (!program) return std::nullopt;
  return CompileToGraph(*program, options, sink);
}

std::optional<graph::Graph> CompileToGraph(const ast::Program& program,
                                           const PipelineOptions& options, DiagnosticSink& sink) {
  auto built = BuildGraph(program, {options.program_name, options.fixed}, sink);
  if (!built) return std::nullopt;
  graph::Graph graph = Stage("build graph", *std::move(built), options);
  graph = Stage("simplify boundaries", passes::SimplifyBoundaries(std::move(graph)), options);
  graph = Stage("eliminate dead", passes::EliminateDead(std::move(graph)), options);
  return graph;
}

plan::Plan CompileToPlan(graph::Graph graph, const PipelineOptions& options) {
  const plan::Schedule schedule = ChooseSchedule(graph, options);
  if (options.codegen.fp == codegen::FpMode::Fast) {
    graph = Stage("use reciprocals", passes::UseReciprocals(std::move(graph)), options);
  }
  if (options.time_tile > 1) {
    graph = passes::EliminateDead(passes::UnrollTime(std::move(graph), options.time_tile));
    graph = Stage("unroll time", std::move(graph), options);
  }
  plan::Plan plan = plan::PlanKernels(std::move(graph), schedule);
  if (options.verify) RequireNothingBroken("plan", plan::Verify(plan));
  return plan;
}

Compiled EmitCode(plan::Plan plan, const SourceFile& source, const PipelineOptions& options) {
  codegen::CodegenOptions codegen = options.codegen;
  codegen.function = options.program_name;
  codegen.source = &source;
  const bool cuda = options.target == Target::Cuda;
  Compiled compiled;
  compiled.text = cuda ? codegen::EmitCuda(plan, codegen) : codegen::EmitCpp(plan, codegen);
  compiled.header = codegen::EmitHeader(plan, codegen, cuda);
  compiled.plan = std::move(plan);
  return compiled;
}

std::optional<Compiled> Compile(const SourceFile& source, const PipelineOptions& options,
                                DiagnosticSink& sink) {
  auto graph = CompileToGraph(source, options, sink);
  if (!graph) return std::nullopt;
  return EmitCode(CompileToPlan(*std::move(graph), options), source, options);
}

}  // namespace stencilgen::driver
