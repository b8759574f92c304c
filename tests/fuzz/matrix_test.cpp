// Random products of matrices and transpositions in random tiles, as structured code that
// kernel::Execute runs.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "passes/split_loops.h"
#include "plan/matrix_tiles.h"
#include "plan/plan_kernels.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/code_executor.h"
#include "support/differential.h"
#include "support/matrix_generator.h"
#include "support/prng.h"

namespace stencilgen::testing {
namespace {

/// Some of a user's wishes: blocks, points, streams and time tiles.
void DrawWishes(Prng* prng, const graph::Graph& graph, driver::PipelineOptions* options) {
  options->choose = true;
  int threads = 1;
  for (std::size_t axis = 0; axis < graph.iterators.size() && axis < 3; ++axis) {
    options->given.block[axis] = prng->Percent(50);
    options->schedule.block[axis] = prng->Pick<int>({1, 2, 3, 8});
    options->unroll_given[axis] = prng->Percent(30);
    options->schedule.unroll[axis] = prng->Range(1, 3);
    threads *= options->schedule.block[axis];
  }
  options->given.stream = threads <= 256 && prng->Percent(30);
  if (options->given.stream) {
    const auto iterators = static_cast<int>(graph.iterators.size());
    options->schedule.stream = plan::Stream{prng->Below(iterators), prng->Pick<int>({0, 3})};
    const auto axis = static_cast<std::size_t>(iterators - 1 - options->schedule.stream->iterator);
    options->given.block[axis] = false;
    options->unroll_given[axis] = false;
  }
  options->given.time_tile = prng->Percent(40);
  if (options->given.time_tile) options->time_tile = prng->Range(1, 4);
}

/// A plan of the graph for the options' target, drawn from the numbers.
using MakePlan = plan::Plan (*)(graph::Graph, driver::PipelineOptions, Prng*);

/// As the driver plans it with random wishes.
plan::Plan PlanWithWishes(graph::Graph graph, driver::PipelineOptions options, Prng* prng) {
  DrawWishes(prng, graph, &options);
  return driver::CompileToPlan(std::move(graph), options);
}

/// In random tiles.
plan::Plan PlanInTiles(graph::Graph graph, driver::PipelineOptions options, Prng* prng) {
  const bool grid = options.target == driver::Target::Cuda;
  const std::int64_t shared = grid ? prng->Pick<int>({64, 1024, 49152}) : 0;
  const plan::MatrixShape shape = [&](const graph::Graph& of, const plan::MatrixKernel& found) {
    return RandomMatrixShape(prng, of, found, grid);
  };
  return plan::AddMatrixTiles(
      plan::PlanKernels(passes::SplitLoops(std::move(graph)), plan::Schedule{}), shape, shared);
}

/// What is wrong with the program in such a plan; empty where nothing is. `tiles`: raised by the
/// kernels with a matrix tile.
std::string CheckMatrix(const TestProgram& program, MakePlan make_plan, driver::Target target,
                        std::uint64_t seed, int& tiles) {
  Prng prng(seed);
  driver::PipelineOptions options = OptionsOf(program);
  options.target = target;
  options.codegen.fp = FpMode::Strict;
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) return RenderText(source, sink.diagnostics(), 0, false);
  std::vector<ProgramRun> runs;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    runs.push_back(PrepareRun(*graph, program, run, seed));
  }
  const plan::Plan plan = make_plan(*std::move(graph), options, &prng);
  for (const std::string& problem : plan::Verify(plan)) return problem;
  for (const plan::Kernel& kernel : plan.kernels) tiles += kernel.matrix ? 1 : 0;
  const kernel::Module module =
      driver::LowerPlan(plan, options, driver::CodeOptions(plan, source, options));
  for (const ProgramRun& run : runs) {
    const kernel::ExecuteOptions execution = DrawExecution(&prng);
    std::string error = CheckModule(module, run, {execution});
    if (!error.empty()) return error;
  }
  return "";
}

void CheckSeeds(MakePlan make_plan, driver::Target target, std::uint64_t count) {
  int tiles = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const TestProgram program = GenerateMatrixProgram(seed);
    const std::string error = CheckMatrix(program, make_plan, target, seed, tiles);
    INFO(ToFileText(program));
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
  CHECK(tiles * 10 > static_cast<int>(count) * 8);  // few programs have no such kernel
}

TEST_CASE("random products of matrices are exact as loop nests of the processor") {
  CheckSeeds(PlanInTiles, driver::Target::Cpp, 1000);
}

TEST_CASE("random products of matrices are exact as kernels of a grid") {
  CheckSeeds(PlanInTiles, driver::Target::Cuda, 1000);
}

TEST_CASE("products of matrices are exact with given blocks, points, streams and time tiles") {
  CheckSeeds(PlanWithWishes, driver::Target::Cpp, 300);
  CheckSeeds(PlanWithWishes, driver::Target::Cuda, 100);
}

}  // namespace
}  // namespace stencilgen::testing
