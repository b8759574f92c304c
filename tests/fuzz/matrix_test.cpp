// Random products of matrices and transpositions in random tiles, as structured code that
// kernel::Execute runs.
#include <cstdint>
#include <string>
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

/// What is wrong with the program in a random tile on the target; empty where nothing is. `tiles`:
/// raised by the kernels with a matrix tile.
std::string CheckMatrix(const TestProgram& program, driver::Target target, std::uint64_t seed,
                        int& tiles) {
  const bool grid = target == driver::Target::Cuda;
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
  const std::int64_t shared = grid ? prng.Pick<int>({64, 1024, 49152}) : 0;
  const plan::MatrixShape shape = [&](const graph::Graph& of, const plan::MatrixKernel& found) {
    return RandomMatrixShape(&prng, of, found, grid);
  };
  const plan::Plan plan = plan::AddMatrixTiles(
      plan::PlanKernels(passes::SplitLoops(*std::move(graph)), plan::Schedule{}), shape, shared);
  for (const std::string& problem : plan::Verify(plan)) return problem;
  for (const plan::Kernel& kernel : plan.kernels) tiles += kernel.matrix ? 1 : 0;
  const driver::CodegenOptions codegen = driver::CodeOptions(plan, source, options);
  for (const ProgramRun& run : runs) {
    const kernel::ExecuteOptions execution = DrawExecution(&prng);
    std::string error = grid ? CheckGrids(plan, codegen, run, execution)
                             : CheckNests(plan, codegen, run, execution);
    if (!error.empty()) return error;
  }
  return "";
}

void CheckSeeds(driver::Target target, std::uint64_t count) {
  int tiles = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const TestProgram program = GenerateMatrixProgram(seed);
    const std::string error = CheckMatrix(program, target, seed, tiles);
    INFO(ToFileText(program));
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
  CHECK(tiles * 10 > static_cast<int>(count) * 8);  // few programs have no such kernel
}

TEST_CASE("random products of matrices are exact as loop nests of the processor") {
  CheckSeeds(driver::Target::Cpp, 1000);
}

TEST_CASE("random products of matrices are exact as kernels of a grid") {
  CheckSeeds(driver::Target::Cuda, 1000);
}

}  // namespace
}  // namespace stencilgen::testing
