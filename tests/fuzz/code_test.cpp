// Random programs with random schedules as structured code, which kernel::Execute runs: without a
// compiler in between there may be thousands.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "graph/verify.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/code_executor.h"
#include "support/differential.h"
#include "support/prng.h"
#include "support/program_generator.h"
#include "support/random_loop.h"
#include "support/schedule_generator.h"
#include "support/suite.h"

namespace stencilgen::testing {
namespace {

/// Compiles the program for the target as its schedule and the seed say, and runs it at each of its
/// sizes. Returns what is wrong; empty where nothing is.
std::string CheckCode(const TestProgram& program, driver::Target target, std::uint64_t seed) {
  const bool grid = target == driver::Target::Cuda;
  Prng prng(seed);
  driver::PipelineOptions options = OptionsOf(program);
  options.target = target;
  options.schedule.form = plan::Form::Gather;
  options.given.fusion = grid || prng.Percent(50);
  options.verify = false;
  options.codegen.fp = FpMode::Strict;
  if (grid && seed % 3 == 0) options.schedule = ForWavefronts(options.schedule);
  if (!grid) options.schedule.shared_memory = options.schedule.shuffle = false;
  if (!grid && prng.Percent(30)) options.nests.tile = {3, 5, 7};
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) return "not accepted";
  std::vector<ProgramRun> runs;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    runs.push_back(PrepareRun(*graph, program, run, seed));
  }
  const plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  const driver::CodegenOptions codegen = driver::CodeOptions(plan, source, options);
  for (const ProgramRun& run : runs) {
    kernel::ExecuteOptions execution = DrawExecution(&prng);
    if (grid) execution.races = kernel::DataRaces::Unset;
    std::string error = grid ? CheckGrids(plan, codegen, run, execution)
                             : CheckNests(plan, codegen, run, execution);
    if (!error.empty()) return error;
  }
  return "";
}

void CheckSeeds(driver::Target target, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const TestProgram program = GenerateProgram(seed);
    const std::string error = CheckCode(program, target, seed);
    INFO(ToFileText(program));
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
}

TEST_CASE("random programs are exact as loop nests of the processor", "[nests]") {
  CheckSeeds(driver::Target::Cpp, 1, 1000);
}

TEST_CASE("random programs are exact as kernels of a grid", "[grids]") {
  CheckSeeds(driver::Target::Cuda, 1, 1000);
}

// Of these a third have statements on faces, whose reads most tiles have no halo for.
TEST_CASE("random loops are exact as kernels of a grid", "[loops]") {
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    TestProgram program = RandomLoopProgram(seed);
    Prng prng(seed ^ 0x6c6f6f70U);
    SetSchedule(&program, RandomSchedule(&prng, static_cast<int>(program.sizes[0].size()) - 1));
    const std::string error = CheckCode(program, driver::Target::Cuda, seed);
    INFO(ToFileText(program));
    INFO(seed << ": " << error);
    CHECK((error.empty() || error == "not accepted"));
    accepted += error.empty() ? 1 : 0;
  }
  CHECK(accepted > 1300);
}

TEST_CASE("examples are exact as loop nests of the processor", "[nests]") {
  for (const TestProgram& program : Examples()) {
    INFO(program.name);
    CHECK(CheckCode(program, driver::Target::Cpp, 1) == "");
  }
}

}  // namespace
}  // namespace stencilgen::testing
