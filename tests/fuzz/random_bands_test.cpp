// Random loops in tiles of several turns, run as structured code, with and without planted faults.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "graph/verify.h"
#include "kernel/module.h"
#include "passes/copy_frames.h"
#include "plan/time_band.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/code_executor.h"
#include "support/cpp_options.h"
#include "support/differential.h"
#include "support/prng.h"
#include "support/random_loop.h"

namespace stencilgen::testing {
namespace {

using plan::TimeBand;

/// Changes a band, or finds out about it.
using VisitBand = std::function<void(TimeBand&)>;

/// Some places of each iterator.
std::vector<graph::WantedPlaces> SomePlaces(const graph::Graph& graph, Prng& prng) {
  std::vector<graph::WantedPlaces> wanted;
  for (std::size_t n = 0; n < graph.iterators.size(); ++n) {
    if (prng.Percent(20)) continue;
    const std::int64_t first = prng.Range(0, 6);
    wanted.push_back({static_cast<int>(n), graph::LinearForm::Constant(first),
                      graph::LinearForm::Constant(first + prng.Range(1, 8))});
  }
  return wanted;
}

/// Nobody compares what fields hold at other places, nor what receivers do.
void ForgetOthers(const graph::Graph& graph, ProgramRun& run) {
  for (const RunObject& array : run.arrays) {
    if (array.output < 0) continue;
    auto& defined = run.reference.defined[static_cast<std::size_t>(array.output)];
    if (array.name == "r") std::fill(defined.begin(), defined.end(), std::uint8_t{0});
    if (array.name == "r" || array.shape.size() != graph.iterators.size()) continue;
    for (std::size_t element = 0; element < defined.size(); ++element) {
      std::size_t rest = element;
      for (std::size_t d = array.shape.size(); d-- > 0;) {
        const auto extent = static_cast<std::size_t>(array.shape[d]);
        const auto place = static_cast<std::int64_t>(rest % extent);
        rest /= extent;
        for (const graph::WantedPlaces& wanted : graph.wanted) {
          const bool inside = wanted.first.constant <= place && place < wanted.end.constant;
          if (wanted.iterator == static_cast<int>(d) && !inside) defined[element] = 0;
        }
      }
    }
  }
}

/// Neighbours along rows come from registers wherever they may, whether that pays or not.
void ShiftAll(plan::Plan& plan) {
  for (plan::Kernel& kernel : plan.kernels) {
    const auto is_several = [](int points) { return points > 1; };
    const bool plain =
        kernel.nest && !kernel.nest->vectors &&
        std::none_of(kernel.nest->points.begin(), kernel.nest->points.end(), is_several);
    if (plain) kernel.nest->shifts = true;
  }
}

/// Functions of the code that take neighbours from registers: along rows, and around their ends.
struct RegisterUses {
  std::int64_t rows = 0, rings = 0;
};
RegisterUses CountUses(const kernel::Module& module) {
  RegisterUses uses;
  for (const kernel::Function& function : module.functions) {
    const std::string text = kernel::Print(function.body);
    uses.rows += text.find("Beside<") != std::string::npos ? 1 : 0;
    uses.rings += text.find("Shifted<") != std::string::npos ? 1 : 0;
  }
  return uses;
}

/// Runs the program's bands at each of its sizes. Returns what is wrong. `wanted`: results are
/// wanted at some places alone.
std::string CheckSeed(std::uint64_t seed, std::int64_t& turns, const VisitBand& visit = nullptr,
                      bool wanted = false, RegisterUses* uses = nullptr) {
  const TestProgram program = RandomLoopProgram(seed);
  Prng prng(seed + 1);
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  driver::PipelineOptions options = CppOptions();
  options.given.fusion = prng.Percent(50);
  auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) return "";  // a statement without any point
  std::vector<ProgramRun> runs;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    runs.push_back(PrepareRun(*graph, program, run, seed));
  }
  if (wanted) {
    graph->wanted = SomePlaces(*graph, prng);
    for (ProgramRun& run : runs) {
      if (run.reference.error.empty()) ForgetOthers(*graph, run);
    }
  }
  if (prng.Percent(70)) graph = passes::CopyFrames(*std::move(graph));
  if (const auto problems = graph::Verify(*graph); !problems.empty()) return problems.front();
  plan::Plan plan = plan::AddTimeBands(driver::CompileToPlan(*std::move(graph), options), 0);
  if (prng.Percent(60)) ShiftAll(plan);
  if (const auto problems = plan::Verify(plan); !problems.empty()) return problems.front();
  for (plan::Step& step : plan.steps) {
    auto* repeat = std::get_if<plan::Repeat>(&step);
    if (visit && repeat != nullptr && repeat->band) visit(*repeat->band);
  }
  const kernel::Module module =
      driver::LowerPlan(plan, options, driver::CodeOptions(plan, source, options));
  if (uses != nullptr) {
    const RegisterUses own = CountUses(module);
    uses->rows += own.rows;
    uses->rings += own.rings;
  }
  for (const ProgramRun& run : runs) {
    kernel::ExecuteOptions execution = DrawOrder(&prng);
    execution.vector_bytes = 8 << prng.Below(4);
    const kernel::TileSizes sizes = {prng.Range(1, 12), prng.Range(1, 12), prng.Range(1, 4)};
    kernel::ModuleResult result;
    const std::string error = CheckModule(module, run, {execution, sizes}, &result);
    turns += result.turns_in_tiles;
    if (!error.empty()) {
      return fmt::format("{} tiles, strip {}: {}\n{}", sizes.tiles, sizes.strip, error,
                         program.text);
    }
  }
  return "";
}

TEST_CASE("random loops in tiles of turns are exact") {
  std::int64_t turns = 0;
  RegisterUses uses;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const std::string error = CheckSeed(seed, turns, nullptr, false, &uses);
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
  CHECK(turns > 5000);
  CHECK(uses.rows > 200);
  CHECK(uses.rings > 5);
}

/// A program whose loops run in tiles, and its runs.
struct InBands {
  kernel::Module module;
  std::vector<ProgramRun> runs;
};
std::optional<InBands> CompileInBands(const TestProgram& program, bool shift) {
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  const driver::PipelineOptions options = CppOptions();
  auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) return std::nullopt;
  InBands compiled;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    compiled.runs.push_back(PrepareRun(*graph, program, run, run));
  }
  plan::Plan plan = plan::AddTimeBands(driver::CompileToPlan(*std::move(graph), options), 0);
  if (shift) ShiftAll(plan);
  compiled.module = driver::LowerPlan(plan, options, driver::CodeOptions(plan, source, options));
  return compiled;
}

/// The statement on rows of so many points, three turns of it in one tile. Returns what is wrong.
std::string CheckRows(const std::string& statement, std::int64_t most, int vector_bytes) {
  TestProgram program;
  program.name = "rows";
  program.text =
      "parameter M=6, N=9, T=3; iterator j, i; double u[M,N]; copyin u;"
      "stencil s (u) { " +
      statement + " } iterate T { s (u); } copyout u;";
  for (std::int64_t n = 9; n <= most; ++n) program.sizes.push_back({{"N", n}});
  const std::optional<InBands> compiled = CompileInBands(program, true);
  if (!compiled) return "not compiled";
  if (CountUses(compiled->module).rows == 0) return "nothing is shifted";
  kernel::ExecuteOptions execution;
  execution.vector_bytes = vector_bytes;
  std::int64_t turns = 0;
  for (const ProgramRun& run : compiled->runs) {
    kernel::ModuleResult result;
    const std::string error =
        CheckModule(compiled->module, run, {execution, kernel::TileSizes{1, 100, 1}}, &result);
    if (!error.empty()) return error;
    turns += result.turns_in_tiles;
  }
  return turns == 3 * static_cast<std::int64_t>(compiled->runs.size())
             ? ""
             : "not all turns are in tiles";
}

TEST_CASE("rows of every length take neighbours from registers exactly") {
  for (const int bytes : {8, 16, 32, 64}) {
    for (const char* statement :
         {"u[j][i] = u[j][i-1] - 2.0*u[j][i] + 3.0*u[j][i+1];",
          "u[j][i] = u[j][i-3]*u[j][i+1] - u[j-1][i-1] - u[j-1][i+2];",
          "u[j][i] = u[j][i+1] - 0.5*u[j][i+4] + u[j+1][i];",
          "u[j][i] = 0.3*u[j][i-4] - u[j][i-2];", "u[j][i] = u[j+1][i-1] + 0.7*u[j+1][i+1];"}) {
      INFO(bytes << ": " << statement);
      CHECK(CheckRows(statement, 64, bytes) == "");
    }
  }
}

/// The statement on whole rows of so many points that wrap around, three turns of it in one tile.
/// Returns what is wrong.
std::string CheckRings(const std::string& statement, std::int64_t most, int vector_bytes) {
  TestProgram program;
  program.name = "rings";
  program.text =
      "parameter L=3, M=4, N=3, T=3; iterator k, j, i; double u[L,M,N], w[L,M,N+2]; copyin u, w;"
      "boundary u = wrap; stencil s (u, w) { " +
      statement + " } iterate T { s (u, w); } copyout u;";
  for (std::int64_t n = 1; n <= most; ++n) program.sizes.push_back({{"N", n}});
  const std::optional<InBands> compiled = CompileInBands(program, false);
  if (!compiled) return "not compiled";
  if (CountUses(compiled->module).rings == 0) return "no rings";
  kernel::ExecuteOptions execution;
  execution.vector_bytes = vector_bytes;
  for (const ProgramRun& run : compiled->runs) {
    const std::string error =
        CheckModule(compiled->module, run, {execution, kernel::TileSizes{1, 100, 1}});
    if (!error.empty()) return error;
  }
  return "";
}

TEST_CASE("whole rows of every length that wrap around are exact in vectors") {
  for (const int bytes : {8, 16, 32, 64}) {
    for (const char* statement :
         {"u[k][j][i] = u[k][j][i-1] - 2.0*u[k][j][i] + 3.0*u[k][j][i+1];",
          "u[k][j][i] = 0.5*u[k-1][j][i+1] - u[k][j+1][i] + w[k][j][i+2]*u[k][j-1][i-1];",
          "u[k][j][i] = 2.0*w[k][j][i+1] - u[k][j][i+1];"}) {
      INFO(bytes << ": " << statement);
      CHECK(CheckRings(statement, 40, bytes) == "");
    }
  }
  // Further than a neighbour, and in another mode, rows have ends.
  CHECK(CheckRings("u[k][j][i] = u[k][j][i-2] - u[k][j][i+1];", 1, 16) == "no rings");
}

TEST_CASE("strips that do not lean are found by what they compute") {
  std::int64_t turns = 0;
  int found = 0;
  const auto flatten = [](TimeBand& band) {
    band.inner.slope = 0;
    std::fill(band.inner.rise.begin(), band.inner.rise.end(), 0);
  };
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    found += CheckSeed(seed, turns, flatten).empty() ? 0 : 1;
  CHECK(found > 20);
}

TEST_CASE("random loops whose results are wanted at some places compute less, exactly") {
  std::int64_t turns = 0;
  int with_ends = 0;
  const auto count = [&](TimeBand& band) { with_ends += band.ends.empty() ? 0 : 1; };
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const std::string error = CheckSeed(seed, turns, count, true);
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
  CHECK(with_ends > 200);
}

TEST_CASE("bands that end too near are found by what they compute") {
  std::int64_t turns = 0;
  int found = 0;
  const auto narrow = [](TimeBand& band) {
    for (plan::BandEnds& ends : band.ends) ends.turn = 0;
  };
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    found += CheckSeed(seed, turns, narrow, true).empty() ? 0 : 1;
  CHECK(found > 20);
}

}  // namespace
}  // namespace stencilgen::testing
