#include "driver/pipeline.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "driver/choose_schedule.h"
#include "driver/schedule_notes.h"
#include "driver/split_plans.h"
#include "driver/split_spilling.h"
#include "frontend/read_program.h"
#include "graph/verify.h"
#include "lower/cpp/fuse_nests.h"
#include "lower/lower.h"
#include "passes/eliminate_dead.h"
#include "passes/fold_scale.h"
#include "passes/simplify_boundaries.h"
#include "passes/use_reciprocals.h"
#include "plan/time_band.h"
#include "plan/verify.h"
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
void ApplyUnrollWishes(const graph::Graph& graph, PipelineOptions& options) {
  const std::size_t dimensions = graph.unroll_wishes.size();
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    const int wish = graph.unroll_wishes[dimensions - 1 - axis];
    if (options.unroll_given[axis]) continue;
    options.schedule.unroll[axis] = wish;
    options.unroll_given[axis] = wish > 1;
  }
}

/// CodeOptions without what a whole plan decides.
CodegenOptions BodyOptions(const graph::Graph& graph, const PipelineOptions& options) {
  CodegenOptions codegen = options.codegen;
  codegen.function = options.program_name;
  if (options.target == Target::Cpp && codegen.choose_points && codegen.fp == FpMode::Fast &&
      !options.given.reorder) {
    codegen.reorder.how = passes::Reorder::Auto;
  }
  const auto asks = [](int wish) { return wish > 1; };
  const auto& wishes = graph.unroll_wishes;
  codegen.choose_points = codegen.choose_points && options.unroll_given == std::array<bool, 3>{} &&
                          std::none_of(wishes.begin(), wishes.end(), asks);
  return codegen;
}

/// C++: loops run in tiles of several turns, where they can. Tiles of one turn that are asked for
/// are meant as they are.
bool TilesTurns(const PipelineOptions& options) {
  if (options.given.time_tile) return options.time_tile > 1;
  const std::vector<int>& tile = options.codegen.tile;
  return options.choose &&
         std::none_of(tile.begin(), tile.end(), [](int points) { return points > 0; });
}

}  // namespace

std::optional<graph::Graph> CompileToGraph(const SourceFile& source, const PipelineOptions& options,
                                           DiagnosticSink& sink) {
  const std::optional<graph::Program> program = ReadProgram(source, sink);
  if (!program) return std::nullopt;
  return CompileToGraph(*program, options, sink);
}

std::optional<graph::Graph> CompileToGraph(const graph::Program& program,
                                           const PipelineOptions& options, DiagnosticSink& sink) {
  auto built = program.build({options.program_name, options.fixed}, sink);
  if (!built) return std::nullopt;
  graph::Graph graph = Stage("build graph", *std::move(built), options);
  graph = Stage("simplify boundaries", passes::SimplifyBoundaries(std::move(graph)), options);
  graph = Stage("eliminate dead", passes::EliminateDead(std::move(graph)), options);
  return graph;
}

plan::Plan CompileToPlan(graph::Graph graph, const PipelineOptions& options) {
  return CompileToChosenPlan(std::move(graph), options).plan;
}

ChosenPlan CompileToChosenPlan(graph::Graph graph, const PipelineOptions& options) {
  PipelineOptions wanted = options;
  if (options.target == Target::Cpp) {
    wanted.choose = false;
    wanted.schedule.shared_memory = wanted.schedule.shuffle = false;
    wanted.time_tile = 1;
    wanted.split.reset();
    wanted.schedule.fusion = plan::Fusion::None;  // FuseNests puts statements together
  }
  ApplyUnrollWishes(graph, wanted);
  if (options.codegen.fp == FpMode::Fast) {
    graph = Stage("use reciprocals", passes::UseReciprocals(std::move(graph)), options);
    graph = Stage("fold scale", passes::FoldScale(std::move(graph)), options);
  }
  ChosenPlan chosen = ChoosePlan(graph, wanted);
  const bool cuda = options.target == Target::Cuda;
  if (!cuda) {
    const plan::Fusion fusion =
        options.given.fusion ? options.schedule.fusion : plan::Fusion::Greedy;
    const CodegenOptions codegen = BodyOptions(chosen.plan.graph, options);
    chosen.plan = lower::cpp::FuseNests(std::move(chosen.plan), fusion, codegen);
    if (TilesTurns(options)) {
      chosen.plan = plan::AddTimeBands(std::move(chosen.plan),
                                       options.given.time_tile ? options.time_tile : 0);
    }
  }
  if (cuda && wanted.codegen.reorder.how == passes::Reorder::Auto && wanted.count_spills) {
    chosen = SplitWhereSpilling(std::move(chosen), graph, wanted);
  }
  if (wanted.split) {
    chosen.notes = FindSplitNotes(chosen, *wanted.split);
  } else if (cuda) {
    chosen.notes = FindSplitKernels(chosen.plan, wanted);
  }
  if (options.verify) {
    RequireNothingBroken("unroll time", graph::Verify(chosen.plan.graph));
    RequireNothingBroken("plan", plan::Verify(chosen.plan));
  }
  return chosen;
}

kernel::Target DeviceOf(Target target) {
  return target == Target::Cuda ? kernel::Target::Device : kernel::Target::Host;
}

kernel::Module LowerPlan(const plan::Plan& plan, const PipelineOptions& options,
                         const CodegenOptions& codegen) {
  kernel::Module module = lower::Lower(plan, codegen, DeviceOf(options.target));
  if (options.verify) RequireNothingBroken("lower", kernel::Verify(module));
  return module;
}

CodegenOptions CodeOptions(const plan::Plan& plan, const SourceFile& source,
                           const PipelineOptions& options) {
  CodegenOptions codegen = BodyOptions(plan.graph, options);
  codegen.source = &source;
  const bool cuda = options.target == Target::Cuda;
  if (cuda && codegen.reorder.how == passes::Reorder::Auto && options.choose_orders) {
    codegen.kernel_orders = options.choose_orders(plan, codegen);
  }
  return codegen;
}

Compiled EmitCode(plan::Plan plan, const SourceFile& source, const PipelineOptions& options) {
  const CodegenOptions codegen = CodeOptions(plan, source, options);
  Compiled compiled;
  compiled.module = LowerPlan(plan, options, codegen);
  compiled.text = codegen::EmitFile(compiled.module, codegen);
  compiled.header = codegen::EmitHeader(compiled.module, codegen);
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
