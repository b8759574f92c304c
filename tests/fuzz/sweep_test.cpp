// Sweeps in place on a CPU: which kernels hold planes, how many, and random ones run as structured
// code.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/pipeline.h"
#include "graph/nodes.h"
#include "plan/print.h"
#include "plan/sweep_in_place.h"
#include "plan/time_band.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/code_executor.h"
#include "support/cpp_options.h"
#include "support/differential.h"
#include "support/prng.h"

namespace stencilgen::testing {
namespace {

using plan::HeldPlanes;

plan::Plan PlanOf(const std::string& text, const driver::PipelineOptions& options = CppOptions()) {
  const SourceFile source("test.idsl", text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  REQUIRE(graph);
  plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  CHECK(plan::Verify(plan).empty());
  return plan;
}

/// A program on u[M,N] and more.
std::string Program(const std::string& stencils, const std::string& calls,
                    const std::string& more = "", const std::string& out = "u") {
  return fmt::format(
      "parameter M, N;\niterator j, i;\ndouble u[M,N], v[M,N], w[M,N];\ncopyin u, v, w;\n{}{}{}\n"
      "copyout {};\n",
      more, stencils, calls, out);
}

/// Of the plan's kernels; empty where one holds none.
std::vector<HeldPlanes> HeldIn(const plan::Plan& plan) {
  std::vector<HeldPlanes> held;
  for (const plan::Kernel& kernel : plan.kernels) {
    if (!kernel.held) return {};
    held.push_back(*kernel.held);
  }
  return held;
}

TEST_CASE("a sweep in place holds the planes that it still reads") {
  const plan::Plan plan =
      PlanOf(Program("stencil s (u) { u[j][i] = u[j-1][i] + u[j+2][i] + u[j][i+3]; }\n", "s (u);"));
  const std::vector<HeldPlanes> held = HeldIn(plan);
  REQUIRE(held.size() == 1);
  CHECK(held[0].below == 1);
  CHECK(held[0].above == 2);
  CHECK(plan::Print(plan) ==
        "plan program\n"
        "buffers\n"
        "  double u[M][N]: home, filled, written\n"
        "  double v[M][N]: home\n"
        "  double w[M][N]: home\n"
        "  double u_alt[M][N]: scratch\n"
        "kernels\n"
        "  s: point by point, in place: planes wait in u_alt for 1 below and 2 above\n"
        "steps\n"
        "  s: u.1 -> u from u\n"
        "results\n"
        "  u in u\n");
}

TEST_CASE("several sweeps one after the other share what holds planes") {
  const plan::Plan plan =
      PlanOf(Program("stencil s (u) { u[j][i] = u[j-1][i] + u[j+1][i]; }\n"
                     "stencil r (u, v) { u[j+1][i] = u[j][i+1] - u[j+1][i] + v[j-1][i]; }\n",
                     "s (u); r (u, v); s (u);"));
  const std::vector<HeldPlanes> held = HeldIn(plan);
  REQUIRE(held.size() == 3);
  // The second writes one plane above its point.
  CHECK(held[1].below == 1);
  CHECK(held[1].above == 0);
  CHECK(held[0].buffer == held[2].buffer);
}

TEST_CASE("modes at ends reach as far as the point itself does") {
  const plan::Plan plan = PlanOf(Program("stencil s (u) { u[j][i] = u[j-2][i] + u[j][i+1]; }\n",
                                         "s (u);", "boundary u = clamp;\n"));
  const std::vector<HeldPlanes> held = HeldIn(plan);
  REQUIRE(held.size() == 1);
  CHECK(held[0].below == 2);
  CHECK(held[0].above == 2);
}

TEST_CASE("what is no sweep in place keeps a second array") {
  const auto holds = [](const std::string& text) { return !HeldIn(PlanOf(text)).empty(); };
  const std::string star = "stencil s (u) { u[j][i] = u[j-1][i] + u[j+1][i]; }\n";
  CHECK(holds(Program(star, "s (u);")));
  // The array from before is read later.
  CHECK_FALSE(holds(Program(star + "stencil r (v, a, b) { v[j][i] = a[j][i+1] - b[j][i-1]; }\n"
                                   "stencil q (x, u) { x[j][i] = u[j-1][i] + u[j+1][i]; }\n",
                            "q (w, u); r (v, u, w);", "", "u, v, w")));
  // From one end to the other, along the planes alone.
  CHECK_FALSE(holds(Program(star, "s (u);", "boundary u = wrap;\n")));
  CHECK(holds(Program("stencil s (u) { u[j][i] = u[j-1][i] + u[j][i+1]; }\n", "s (u);",
                      "boundary u = [clamp, wrap];\n")));
  CHECK_FALSE(holds(Program("stencil s (u) { u[j][i] = u[j-1][i] + u[3][i]; }\n", "s (u);")));
  CHECK_FALSE(holds(Program("stencil s (u) { u[j][i] = u[j-1][i] + u[i][j]; }\n", "s (u);", "")));
  CHECK_FALSE(
      holds("parameter N;\niterator i;\ndouble u[N];\ncopyin u;\n"
            "stencil s (u) { u[i] = u[i-1] + u[i+1]; }\ns (u);\ncopyout u;\n"));
  // Loops have tiles of their own.
  CHECK_FALSE(holds(Program(star, "iterate 5 { s (u); }")));
}

/// A loop of any number of turns in tiles.
plan::Plan LoopOf(const std::string& stencil, const std::string& boundary = "") {
  plan::Plan plan = PlanOf(
      "parameter M, N, T;\niterator j, i;\ndouble u[M,N], v[M,N];\ncopyin u, v;\n" + boundary +
      "stencil s (u, v) { " + stencil + " }\niterate T { s (u, v); }\ncopyout u, v;\n");
  plan = plan::SweepSingleTurns(plan::AddTimeBands(std::move(plan), 0));
  CHECK(plan::Verify(plan).empty());
  return plan;
}

const plan::TimeBand& BandOf(const plan::Plan& plan) {
  for (const plan::Step& step : plan.steps) {
    const auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat != nullptr && repeat->band) return *repeat->band;
  }
  throw std::logic_error("no loop in tiles");
}

TEST_CASE("a loop in tiles has its single turn in place where one array changes") {
  const plan::Plan plan = LoopOf("u[j][i] = u[j-1][i] + u[j+2][i] + v[j][i+1];");
  const plan::TimeBand& band = BandOf(plan);
  REQUIRE(band.single);
  CHECK(band.single->held.below == 1);
  CHECK(band.single->held.above == 2);
  CHECK(plan.buffers[band.single->held.home].name == "u");
  CHECK(plan.buffers[band.single->held.buffer].name == "u_alt");
  const char* const line =
      "a single turn in place: point by point, planes wait in u_alt for 1 below and 2 above\n";
  CHECK(plan::Print(plan).find(line) != std::string::npos);
  // Two arrays that change.
  CHECK_FALSE(
      BandOf(LoopOf("u[j][i] = u[j-1][i] + v[j][i+1]; v[j][i] = u[j][i] + v[j-1][i];")).single);
  // Nothing waits: the array is its own second one.
  CHECK_FALSE(BandOf(LoopOf("v[j][i] = v[j][i] + u[j][i]; u[j][i] = u[j][i] + v[j][i-1];")).single);
  // From one end to the other.
  CHECK_FALSE(BandOf(LoopOf("u[j][i] = u[j-1][i] + u[j][i+1];", "boundary u = wrap;\n")).single);
}

TEST_CASE("the verifier finds planes that are overwritten too early") {
  plan::Plan plan =
      PlanOf(Program("stencil s (u) { u[j][i] = u[j-1][i] + u[j+2][i]; }\n", "s (u);"));
  plan::Kernel& kernel = *plan.kernels.begin();
  REQUIRE(kernel.held);
  const HeldPlanes sound = *kernel.held;
  const auto breaks = [&](auto change) {
    change(*kernel.held);
    const bool found = !plan::Verify(plan).empty();
    kernel.held = sound;
    return found;
  };
  CHECK_FALSE(breaks([](HeldPlanes&) {}));
  CHECK(breaks([](HeldPlanes& held) { held.below -= 1; }));
  CHECK(breaks([](HeldPlanes& held) { held.above -= 1; }));
  CHECK(breaks([&](HeldPlanes& held) { held.buffer = plan.results.front(); }));
  CHECK(breaks([](HeldPlanes& held) { held.buffer = {}; }));
  kernel.held.reset();
  CHECK_FALSE(plan::Verify(plan).empty());
  kernel.held = sound;
  kernel.nest.reset();
  CHECK_FALSE(plan::Verify(plan).empty());
}

constexpr const char* kIterators[] = {"k", "j", "i"};
constexpr const char* kParameters[] = {"L", "M", "N"};

/// One to three statements in a row, most of them on one array; or one, in a loop of T turns.
TestProgram RandomSweeps(std::uint64_t seed, bool loop = false) {
  Prng prng(seed);
  const int rank = prng.Range(2, 3);
  const std::vector<std::string> iterators(kIterators + 3 - rank, kIterators + 3);
  const std::vector<std::string> parameters(kParameters + 3 - rank, kParameters + 3);
  const std::string shape = fmt::format("[{}]", fmt::join(parameters, ","));
  TestProgram program;
  program.name = fmt::format("sweep{}", seed);
  std::string& text = program.text;
  text = fmt::format("parameter {}{};\niterator {};\ndouble u{}, v{};\ncopyin u, v;\n",
                     fmt::join(parameters, ", "), loop ? ", T" : "", fmt::join(iterators, ", "),
                     shape, shape);
  constexpr const char* kModes[] = {"clamp", "mirror", "mirror101", "wrap", "constant(0.5)"};
  if (prng.Percent(25)) text += fmt::format("boundary u = {};\n", kModes[prng.Below(5)]);
  const auto element = [&](const char* array, int low, int high) {
    std::string result = array;
    for (const std::string& iterator : iterators) {
      const int offset = prng.Percent(45) ? 0 : prng.Range(low, high);
      result +=
          offset == 0 ? fmt::format("[{}]", iterator) : fmt::format("[{}{:+d}]", iterator, offset);
    }
    return result;
  };
  std::string calls;
  for (int n = 0, statements = loop ? 1 : prng.Range(1, 3); n < statements; ++n) {
    const int low = -prng.Below(3);
    const int high = prng.Below(3);
    std::vector<std::string> terms;
    for (int term = prng.Range(2, 5); term > 0; --term) {
      terms.push_back(fmt::format("0.{}*{}", prng.Range(1, 3),
                                  element(prng.Percent(75) ? "u" : "v", low, high)));
    }
    const char* const target = prng.Percent(80) ? "u" : "v";
    const std::string at = prng.Percent(80) ? element(target, 0, 0) : element(target, -1, 1);
    text += fmt::format("stencil s{} (u, v) {{ {} {} {}; }}\n", n, at,
                        prng.Percent(20) ? "+=" : "=", fmt::join(terms, " + "));
    calls += fmt::format("s{} (u, v);\n", n);
  }
  text += (loop ? fmt::format("iterate T {{\n{}}}\n", calls) : calls) + "copyout u, v;\n";
  for (int run = 0; run < 2; ++run) {
    std::map<std::string, std::int64_t> sizes;
    for (const std::string& parameter : parameters)
      sizes[parameter] = prng.Range(3, rank == 2 ? 17 : 9);
    if (loop) sizes["T"] = run + 1;
    program.sizes.push_back(std::move(sizes));
  }
  return program;
}

/// Kernels that hold planes, that store past the caches, that have tiles by the cache, and that
/// hold planes in strips.
struct Counts {
  int held = 0, past_caches = 0, tiled = 0, strips = 0;
};

/// Runs random sweeps at each of their sizes, with any caches; counts kernels. `change` may spoil
/// what is held. Returns what is wrong.
std::string CheckSeed(std::uint64_t seed, Counts& counts,
                      const std::function<void(HeldPlanes&)>& change) {
  const TestProgram program = RandomSweeps(seed);
  Prng prng(seed + 1);
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  driver::PipelineOptions options = CppOptions();
  options.given.fusion = true;
  auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) return "";  // a statement without any point
  std::vector<ProgramRun> runs;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    runs.push_back(PrepareRun(*graph, program, run, seed));
  }
  plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  if (const auto problems = plan::Verify(plan); !problems.empty()) return problems.front();
  for (plan::Kernel& kernel : plan.kernels) {
    if (kernel.nest->past_caches) ++counts.past_caches;
    if (kernel.nest->tile.size() > 1 && kernel.nest->tile[1] == plan::kTileByCache) ++counts.tiled;
    if (!kernel.held) continue;
    ++counts.held;
    if (kernel.nest->tile.size() > 1 && kernel.nest->tile[1] == plan::kTileByCache) ++counts.strips;
    change(*kernel.held);
  }
  const kernel::Module module =
      driver::LowerPlan(plan, options, driver::CodeOptions(plan, source, options));
  constexpr int kThreads[] = {1, 2, 3, 7};
  for (const ProgramRun& run : runs) {
    kernel::ExecuteOptions execution = DrawOrder(&prng);
    execution.host_threads = kThreads[prng.Below(4)];
    execution.past_caches = prng.Percent(80);
    execution.tile_rows = prng.Range(1, 4);
    const std::string error = CheckModule(module, run, {execution});
    if (!error.empty()) {
      return fmt::format("{} threads: {}\n{}", execution.host_threads, error, program.text);
    }
  }
  return "";
}

TEST_CASE("random sweeps are exact, in place and past caches") {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const std::string error = CheckSeed(seed, counts, [](HeldPlanes&) {});
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
  CHECK(counts.held > 1000);
  CHECK(counts.past_caches > 500);
  CHECK(counts.tiled > 200);
  CHECK(counts.strips > 200);
}

/// Runs a random loop once with a single turn and once with two, and says whether that single turn
/// is in place. Returns what is wrong.
std::string CheckSingleTurn(std::uint64_t seed, int& singles, int& strips,
                            const std::function<void(HeldPlanes&)>& change) {
  const TestProgram program = RandomSweeps(seed, true);
  Prng prng(seed + 1);
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  const driver::PipelineOptions options = CppOptions();
  auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) return "";  // a statement without any point
  std::vector<ProgramRun> runs;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    runs.push_back(PrepareRun(*graph, program, run, seed));
  }
  plan::Plan plan = plan::SweepSingleTurns(
      plan::AddTimeBands(driver::CompileToPlan(*std::move(graph), options), 0));
  for (plan::Step& step : plan.steps) {
    auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat == nullptr || !repeat->band || !repeat->band->single) continue;
    ++singles;
    plan::SingleTurn& single = *repeat->band->single;
    const graph::Operator& op =
        graph::OperatorOf(plan.graph, plan.kernels[repeat->band->launches.front()].ops.front());
    if (prng.Percent(50) && plan::FindRowsHeld(plan, op, single.held)) {
      single.nest.tile[1] = plan::kTileByCache;
      single.nest.row_bytes = single.nest.rim_bytes = 8;
      single.nest.planes = 1;
      ++strips;
    }
    if (const auto problems = plan::Verify(plan); !problems.empty()) return problems.front();
    change(single.held);
  }
  const kernel::Module module =
      driver::LowerPlan(plan, options, driver::CodeOptions(plan, source, options));
  constexpr int kThreads[] = {1, 2, 3, 7};
  for (const ProgramRun& run : runs) {
    kernel::ExecuteOptions execution = DrawOrder(&prng);
    execution.host_threads = kThreads[prng.Below(4)];
    execution.tile_rows = prng.Range(1, 4);
    const kernel::TileSizes sizes = {prng.Range(1, 12), prng.Range(1, 12), prng.Range(1, 4)};
    const std::string error = CheckModule(module, run, {execution, sizes});
    if (!error.empty()) return fmt::format("{}\n{}", error, program.text);
  }
  return "";
}

TEST_CASE("random single turns of loops are exact in place") {
  int singles = 0, strips = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const std::string error = CheckSingleTurn(seed, singles, strips, [](HeldPlanes&) {});
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
  CHECK(singles > 300);
  CHECK(strips > 50);
}

TEST_CASE("single turns whose planes go home too early are found by what is computed") {
  int singles = 0, strips = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto spoil = [](HeldPlanes& planes) {
      (planes.below > 0 ? planes.below : planes.above) -= 1;
    };
    found += CheckSingleTurn(seed, singles, strips, spoil).empty() ? 0 : 1;
  }
  CHECK(found > 30);
}

TEST_CASE("planes that go home too early are found by what is computed") {
  Counts counts;
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    found += CheckSeed(
                 seed, counts,
                 [](HeldPlanes& planes) {
                   if (planes.below > 0) {
                     --planes.below;
                   } else if (planes.above > 0) {
                     --planes.above;
                   }
                 }).empty()
                 ? 0
                 : 1;
  }
  CHECK(found > 60);
}

}  // namespace
}  // namespace stencilgen::testing
