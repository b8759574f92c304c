// Random programs with random schedules as structured code, which kernel::Execute runs: without a
// compiler in between there may be thousands.
#include <algorithm>
#include <cstdint>
#include <iterator>
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
  const kernel::Module module =
      driver::LowerPlan(plan, options, driver::CodeOptions(plan, source, options));
  for (const ProgramRun& run : runs) {
    kernel::ExecuteOptions execution = DrawExecution(&prng);
    if (grid) execution.races = kernel::DataRaces::Unset;
    std::string error = CheckModule(module, run, {execution});
    if (!error.empty()) return error;
  }
  return "";
}

/// A loop whose tiles can be stages: statements on two arrays that read neighbours of each other,
/// some of which change places after a turn; sizes that no tile divides, turns that no stages do.
TestProgram PipelineProgram(std::uint64_t seed) {
  Prng prng(seed);
  TestProgram program;
  program.name = fmt::format("pipeline{}", seed);
  const char* type = prng.Percent(50) ? "double" : "float";
  const auto sum = [&](const char* array, int reach) {
    std::string text;
    for (int n = prng.Range(1, 4); n > 0; --n) {
      const int j = prng.Range(-reach, reach);
      const int i = prng.Range(-reach, reach);
      text +=
          fmt::format(" + {}*{}[j{:+}][i{:+}]", prng.Percent(50) ? "0.25" : "-0.375", array, j, i);
    }
    return text;
  };
  const int reach = prng.Range(1, 2);
  const bool two = prng.Percent(50);
  program.text = fmt::format("parameter M, N, T;\niterator j, i;\n{} u[M,N], v[M,N];\n", type);
  program.text +=
      fmt::format("copyin u, v;\nstencil s (a, b) {{\n  a[j][i] = 0.5*a[j][i]{}{};\n}}\n",
                  sum("a", reach), two ? sum("b", reach) : "");
  program.text +=
      fmt::format("iterate T {{\n  s (u, v);\n{}{}}}\ncopyout u, v;\n", two ? "  s (v, u);\n" : "",
                  two && prng.Percent(40) ? "  swap u, v;\n" : "");
  for (int run = 0; run < 3; ++run) {
    program.sizes.push_back({{"M", prng.Range(5, 40)},
                             {"N", prng.Range(5, 150)},
                             {"T", run == 0 ? prng.Range(0, 3) : prng.Range(1, 17)}});
  }
  plan::Schedule& schedule = program.schedule;
  schedule.stages = prng.Range(2, 4);
  schedule.fusion = plan::Fusion::Max;
  schedule.shuffle = schedule.shared_memory = true;
  schedule.block = {32, 1, 1};
  static const std::vector<int> kPoints = {2, 3, 4, 6, 10, 12};
  schedule.unroll = {prng.Pick(kPoints), 1, 1};
  schedule.stream = plan::Stream{0, prng.Percent(50) ? prng.Range(1, 12) : 0};
  static const std::vector<plan::Prefetch> kPrefetches = {
      plan::Prefetch::None, plan::Prefetch::Step, plan::Prefetch::Register, plan::Prefetch::Async};
  schedule.prefetch = prng.Pick(kPrefetches);
  program.time_tile = prng.Range(1, two ? 2 : 4);
  return program;
}

plan::Plan PlanOf(const TestProgram& program) {
  driver::PipelineOptions options = OptionsOf(program);
  options.codegen.fp = FpMode::Strict;
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  return graph ? driver::CompileToPlan(*std::move(graph), options) : plan::Plan{};
}

std::vector<plan::KernelId> PipelinesOf(const plan::Plan& plan) {
  std::vector<plan::KernelId> found;
  for (const plan::KernelId id : plan.kernels.Ids()) {
    if (plan.kernels[id].tile && plan.kernels[id].tile->pipeline) found.push_back(id);
  }
  return found;
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

// Rows as long as this are cut where stores are aligned; lines begin anywhere in them.
TEST_CASE("random programs with long rows are exact as loop nests", "[nests]") {
  for (std::uint64_t seed = 5001; seed <= 5200; ++seed) {
    TestProgram program = GenerateProgram(seed);
    Prng prng(seed);
    for (auto& sizes : program.sizes) {
      auto last = std::prev(sizes.end());
      if (last->first == "T") last = std::prev(last);
      last->second = prng.Range(140, 330);
    }
    const std::string error = CheckCode(program, driver::Target::Cpp, seed);
    INFO(ToFileText(program));
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
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

TEST_CASE("random loops are exact as pipelines in time", "[pipelines]") {
  int pipelines = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const TestProgram program = PipelineProgram(seed);
    const std::string error = CheckCode(program, driver::Target::Cuda, 3 * seed + 1);
    INFO(ToFileText(program));
    INFO(seed << ": " << error);
    CHECK(error.empty());
    pipelines += static_cast<int>(PipelinesOf(PlanOf(program)).size());
  }
  CHECK(pipelines > 300);
}

// What a stage needs of the one before is planted away, one thing at a time.
TEST_CASE("the verifier finds what a pipeline lacks", "[pipelines]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const plan::Plan plan = PlanOf(PipelineProgram(seed));
    REQUIRE(plan::Verify(plan).empty());
    for (const plan::KernelId id : PipelinesOf(plan)) {
      const plan::Tile& tile = *plan.kernels[id].tile;
      const auto finds = [&](const char* problem, const auto& change) {
        plan::Plan broken = plan;
        change(*broken.kernels[id].tile);
        const std::vector<std::string> problems = plan::Verify(broken);
        INFO(problem);
        CHECK(std::any_of(problems.begin(), problems.end(), [&](const std::string& each) {
          return each.find(problem) != std::string::npos;
        }));
      };
      const auto without = [](plan::TileStep::Kind kind) {
        return [kind](plan::Tile& changed) {
          for (auto* steps : {&changed.steps, &changed.free_steps}) {
            std::erase_if(*steps, [&](const plan::TileStep& step) { return step.kind == kind; });
          }
        };
      };
      finds("is not handed over", without(plan::TileStep::Kind::HandOver));
      finds("is not taken over", without(plan::TileStep::Kind::TakeOver));
      finds("do not wait for each other", without(plan::TileStep::Kind::Barrier));
      finds("before it is handed over", [&](plan::Tile& changed) { changed.pipeline->shift = 0; });
      finds("is overwritten",
            [&](plan::Tile& changed) { --changed.pipeline->hand_overs.front().slots; });
      finds("beyond shared memory", [](plan::Tile& changed) { changed.shared_bytes -= 8; });
      if (tile.halo == plan::Halo{}) continue;
      finds("beyond its halo", [](plan::Tile& changed) { ++changed.pipeline->stages; });
    }
  }
}

TEST_CASE("examples are exact as loop nests of the processor", "[nests]") {
  for (const TestProgram& program : Examples()) {
    INFO(program.name);
    CHECK(CheckCode(program, driver::Target::Cpp, 1) == "");
  }
}

}  // namespace
}  // namespace stencilgen::testing
