// Loops in hexagons on a GPU: which points a tile has, what it needs of others, and random loops
// run as structured code.
#include "plan/hexagon.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "plan/band_accesses.h"
#include "plan/time_band.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/code_executor.h"
#include "support/differential.h"
#include "support/prng.h"
#include "support/random_loop.h"

namespace stencilgen::testing {
namespace {

constexpr std::int64_t kSharedLimit = std::int64_t{227} * 1024;

driver::PipelineOptions GpuOptions() {
  driver::PipelineOptions options;
  options.verify = false;
  options.codegen.fp = FpMode::Strict;
  options.schedule.shared_memory = options.schedule.shuffle = false;
  return options;
}

plan::HexagonSize DrawSize(Prng& prng, std::size_t further) {
  plan::HexagonSize size;
  size.half = prng.Range(1, 5);
  size.width = prng.Range(1, 9);
  for (std::size_t n = 0; n < further; ++n) size.strips.push_back(prng.Range(1, 12));
  size.block = {prng.Range(1, 9), prng.Range(1, 4)};
  return size;
}

std::size_t RankOf(const plan::Plan& plan, const plan::Repeat& repeat) {
  plan::BandAccesses accesses(plan, repeat);
  return accesses.Collect().empty() ? accesses.iterators().size() : 0;
}

/// All loops that can have hexagons get some of random sizes.
plan::Plan WithHexagons(plan::Plan plan, Prng& prng) {
  std::vector<plan::Step> steps = plan.steps;
  for (plan::Step& step : steps) {
    auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat == nullptr) continue;
    const std::size_t rank = RankOf(plan, *repeat);
    if (rank == 0) continue;
    auto band = plan::FindHexagon(plan, *repeat, DrawSize(prng, rank - 1), kSharedLimit);
    if (auto* found = std::get_if<plan::TimeBand>(&band)) {
      repeat->band = std::move(*found);
      repeat->graph.reset();
    }
  }
  plan.steps = std::move(steps);
  return plan;
}

struct Planned {
  plan::Plan plan;
  driver::PipelineOptions options;
  driver::CodegenOptions codegen;
  std::vector<ProgramRun> runs;
};

/// Empty where the program is refused.
std::optional<Planned> PlanOf(const TestProgram& program, std::uint64_t seed, Prng& prng) {
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  Planned planned;
  planned.options = GpuOptions();
  auto graph = driver::CompileToGraph(source, planned.options, sink);
  if (!graph) return std::nullopt;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    planned.runs.push_back(PrepareRun(*graph, program, run, seed));
  }
  planned.plan = WithHexagons(driver::CompileToPlan(*std::move(graph), planned.options), prng);
  planned.codegen = driver::CodeOptions(planned.plan, source, planned.options);
  planned.codegen.source = nullptr;
  return planned;
}

kernel::Module ModuleOf(const Planned& planned) {
  return driver::LowerPlan(planned.plan, planned.options, planned.codegen);
}

/// The turns that a run of the plan computes in hexagons.
std::int64_t TurnsInHexagons(const plan::Plan& plan, const ProgramRun& run) {
  std::int64_t turns = 0;
  for (const plan::Step& step : plan.steps) {
    const auto* repeat = std::get_if<plan::Repeat>(&step);
    const bool counts = repeat != nullptr && repeat->band;
    if (counts) turns += graph::Evaluate(repeat->turns, run.parameters);
  }
  return turns;
}

/// What is wrong with the program in hexagons; `change` may plant a fault.
std::string CheckSeed(std::uint64_t seed, std::int64_t& turns,
                      const std::function<void(plan::TimeBand&)>& change = {}) {
  const TestProgram program = RandomLoopProgram(seed);
  Prng prng(seed ^ 0x68657861U);
  std::optional<Planned> planned = PlanOf(program, seed, prng);
  if (!planned) return "";
  if (const auto problems = plan::Verify(planned->plan); !problems.empty()) return problems.front();
  for (plan::Step& step : planned->plan.steps) {
    auto* repeat = std::get_if<plan::Repeat>(&step);
    if (change && repeat != nullptr && repeat->band) change(*repeat->band);
  }
  const kernel::Module module = ModuleOf(*planned);
  for (const ProgramRun& run : planned->runs) {
    kernel::ExecuteOptions execution = DrawExecution(&prng);
    execution.races = kernel::DataRaces::Report;
    turns += TurnsInHexagons(planned->plan, run);
    const std::string error = CheckModule(module, run, {execution});
    if (!error.empty()) return fmt::format("{}\n{}", error, program.text);
  }
  return "";
}

TEST_CASE("random loops in hexagons are exact") {
  std::int64_t turns = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const std::string error = CheckSeed(seed, turns);
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
  CHECK(turns > 2000);
}

TEST_CASE("hexagons that lean too little are found by what they compute") {
  std::int64_t turns = 0;
  int rows = 0;
  int strips = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    rows +=
        CheckSeed(seed, turns, [](plan::TimeBand& band) { band.outer.slope = 0; }).empty() ? 0 : 1;
    const auto flatten = [](plan::TimeBand& band) {
      for (plan::BandStrip& strip : band.hexagon->strips) strip.side.slope = 0;
    };
    strips += CheckSeed(seed, turns, flatten).empty() ? 0 : 1;
  }
  CHECK(rows > 20);
  CHECK(strips > 10);
}

/// A band of so many launches with these sides.
plan::TimeBand BandOf(std::int64_t slope, std::vector<std::int64_t> rise,
                      std::vector<std::int64_t> fall, int half, std::int64_t width) {
  plan::TimeBand band;
  band.launches.resize(rise.size());
  band.outer = {slope, std::move(rise), std::move(fall)};
  band.hexagon.emplace();
  band.hexagon->half = half;
  band.hexagon->width = width;
  return band;
}

/// By turn, launch and row: the phase and the number of each tile that computes it.
using Tiles =
    std::map<std::tuple<std::int64_t, std::size_t, std::int64_t>, std::vector<std::pair<int, int>>>;

Tiles TilesOf(const plan::TimeBand& band, std::int64_t turns) {
  Tiles tiles;
  const std::int64_t half = band.hexagon->half;
  const std::int64_t pitch = plan::PitchOf(band);
  for (int phase = 0; (phase - 1) * half < turns; ++phase) {
    for (int number = -4; number <= 4; ++number) {
      const std::int64_t base = number * pitch + phase % 2 * pitch / 2;
      for (int turn = 0; turn < half; ++turn) {
        for (std::size_t m = 0; m < band.launches.size(); ++m) {
          for (const bool grows : {true, false}) {
            const std::int64_t t = (phase - (grows ? 1 : 0)) * half + turn;
            if (t < 0 || t >= turns) continue;
            const plan::ElementRange rows =
                grows ? plan::GrowingRows(band, m, turn) : plan::ShrinkingRows(band, m, turn);
            for (std::int64_t x = base + rows.first; x <= base + rows.last; ++x) {
              tiles[{t, m, x}].emplace_back(phase, number);
            }
          }
        }
      }
    }
  }
  return tiles;
}

TEST_CASE("each row of each turn is in one hexagon, which follows what it needs") {
  struct Case {
    std::int64_t slope;
    std::vector<std::int64_t> rise, fall;
  };
  const std::vector<Case> cases = {{1, {0}, {0}},
                                   {3, {0}, {0}},
                                   {1, {0, 1}, {1, 0}},
                                   {2, {0, 3, 1}, {2, 0, 0}},
                                   {1, {0, 2}, {0, 3}}};
  for (const Case& each : cases) {
    for (const int half : {1, 2, 3, 5}) {
      for (const std::int64_t width : {each.slope, each.slope + 1, each.slope + 6}) {
        const plan::TimeBand band = BandOf(each.slope, each.rise, each.fall, half, width);
        const std::int64_t turns = 4 * half + 1;
        const Tiles tiles = TilesOf(band, turns);
        const std::int64_t pitch = plan::PitchOf(band);
        REQUIRE(pitch % 2 == 0);
        const auto tile_of = [&](std::int64_t t, std::size_t m, std::int64_t x) {
          const auto at = tiles.find({t, m, x});
          REQUIRE(at != tiles.end());
          REQUIRE(at->second.size() == 1);
          return at->second.front();
        };
        for (std::int64_t t = 0; t < turns; ++t) {
          for (std::size_t m = 0; m < each.rise.size(); ++m) {
            for (std::int64_t x = -pitch; x <= pitch; ++x) {
              const auto own = tile_of(t, m, x);
              // All that may be needed: along it neither coordinate falls.
              for (std::int64_t before = 0; before <= std::min<std::int64_t>(t, 2); ++before) {
                for (std::size_t k = 0; k < (before == 0 ? m : each.rise.size()); ++k) {
                  const std::int64_t grown = each.slope * before;
                  const std::int64_t least = -grown - each.fall[m] + each.fall[k];
                  const std::int64_t most = grown + each.rise[m] - each.rise[k];
                  for (std::int64_t d = least; d <= most; ++d) {
                    const auto other = tile_of(t - before, k, x + d);
                    CHECK((other == own || other.first < own.first));
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

/// u changes place with a second array each turn.
const TestProgram kStar = [] {
  TestProgram program;
  program.name = "star";
  program.text =
      "parameter M, N, T;\niterator j, i;\ndouble u[M,N];\ncopyin u;\n"
      "stencil s (u) { u[j][i] = 0.2*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1] + u[j][i]); }\n"
      "iterate T { s (u); }\ncopyout u;\n";
  program.sizes = {{{"M", 61}, {"N", 83}, {"T", 13}}};
  return program;
}();

TEST_CASE("hexagons compute nothing twice and load each element of a strip once") {
  Prng prng(1);
  std::optional<Planned> planned = PlanOf(kStar, 1, prng);
  REQUIRE(planned);
  plan::HexagonSize size{4, 8, {20}, {8, 4}};
  auto& repeat = std::get<plan::Repeat>(*std::find_if(
      planned->plan.steps.begin(), planned->plan.steps.end(),
      [](const plan::Step& step) { return std::holds_alternative<plan::Repeat>(step); }));
  repeat.band.reset();
  auto found = plan::FindHexagon(planned->plan, repeat, size, kSharedLimit);
  REQUIRE(std::holds_alternative<plan::TimeBand>(found));
  repeat.band = std::get<plan::TimeBand>(found);
  repeat.graph.reset();
  kernel::ModuleResult result;
  kernel::ExecuteOptions execution;
  execution.races = kernel::DataRaces::Report;
  CHECK(CheckModule(ModuleOf(*planned), planned->runs[0], {execution}, &result) == "");
  const kernel::ExecuteCounters& counters = result.counters;
  CHECK(TurnsInHexagons(planned->plan, planned->runs[0]) == 13);
  const std::int64_t points = std::int64_t{59} * 81 * 13;
  CHECK(counters.flops == 5 * points);
  // Both arrays: 5 launches of tiles that are 14 rows high, with one row around them.
  const double loads = static_cast<double>(counters.global_loads) / static_cast<double>(points);
  const double stores = static_cast<double>(counters.global_stores) / static_cast<double>(points);
  CHECK(loads < 0.9);
  CHECK(stores < 0.8);
}

TEST_CASE("the verifier finds what hexagons lack") {
  Prng prng(1);
  std::optional<Planned> planned = PlanOf(kStar, 1, prng);
  REQUIRE(planned);
  REQUIRE(plan::Verify(planned->plan).empty());
  const auto finds = [&](const std::string& problem,
                         const std::function<void(plan::TimeBand&)>& change) {
    plan::Plan broken = planned->plan;
    for (plan::Step& step : broken.steps) {
      auto* repeat = std::get_if<plan::Repeat>(&step);
      if (repeat != nullptr && repeat->band) change(*repeat->band);
    }
    const std::vector<std::string> problems = plan::Verify(broken);
    INFO(problem);
    CHECK(std::any_of(problems.begin(), problems.end(), [&](const std::string& each) {
      return each.find(problem) != std::string::npos;
    }));
  };
  finds("left against a dependence", [](plan::TimeBand& band) { band.outer.slope = 0; });
  finds("left against a dependence",
        [](plan::TimeBand& band) { band.hexagon->strips[0].side.slope = 0; });
  finds("tiles meet", [](plan::TimeBand& band) { band.hexagon->width = 0; });
  finds("strips of other iterators", [](plan::TimeBand& band) { band.hexagon->strips.clear(); });
  finds("without turns", [](plan::TimeBand& band) { band.hexagon->half = 0; });
}

}  // namespace
}  // namespace stencilgen::testing
