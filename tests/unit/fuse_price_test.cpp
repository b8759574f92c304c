// Fusion never loses: by the price model, for the suites and for random programs.
#include <string>
#include <vector>

#include "fuse_test_tools.h"
#include "passes/eliminate_dead.h"
#include "passes/unroll_time.h"
#include "plan/cost.h"
#include "plan/fuse_model.h"
#include "plan/plan_fused.h"
#include "plan/plan_kernels.h"
#include "plan/verify.h"
#include "support/differential.h"
#include "support/program_generator.h"
#include "support/schedule_text.h"

namespace stencilgen::testing {
namespace {

struct Prices {
  double fused = 0, apart = 0;
};

/// Of the schedule's program with greedy fusion and without, on that device. Checks the fused plan.
Prices PricesOf(const graph::Graph& graph, plan::Schedule schedule, const machine::Gpu& device) {
  schedule.fusion = plan::Fusion::None;
  const graph::ParameterValues sizes = plan::UsualSizes(graph);
  Prices prices;
  prices.apart = EstimateCost(PlanKernels(graph, schedule), device, sizes).seconds;
  schedule.fusion = plan::Fusion::Greedy;
  plan::FusionSettings settings;
  settings.device = &device;
  const plan::FusedPlan fused = PlanFused(graph, schedule, settings);
  CHECK(plan::Verify(fused.plan) == std::vector<std::string>{});
  prices.fused = EstimateCost(fused.plan, device, sizes).seconds;
  return prices;
}

plan::Schedule Read(const std::string& text) {
  const auto timed = ReadSchedule(text);
  REQUIRE(timed);
  return timed->schedule;
}

TEST_CASE("the fused plan of a benchmark is never predicted to take longer") {
  const std::vector<std::string> tilings = {
      "block=32,16,1 stream=0:0 shared=yes", "block=64,8,1 unroll=1,2,1 stream=0:64 shared=yes",
      "block=32,4,4 shared=yes", "block=32,8,1 stream=0:0 shared=yes objective=registers",
      "block=32,8,1 stream=0:0 shared=yes objective=shared-memory"};
  int gained = 0;
  for (const Benchmark& benchmark : Benchmarks()) {
    graph::Graph graph = GraphOf(benchmark.text);
    for (const int steps : {1, 4}) {
      const graph::Graph unrolled = passes::EliminateDead(passes::UnrollTime(graph, steps));
      for (const std::string& tiling : tilings) {
        for (const char* arch : {"sm_35", "sm_90"}) {
          INFO(benchmark.name << ", " << steps << " steps, " << tiling << ", " << arch);
          plan::Schedule schedule = Read(tiling);
          if (graph.iterators.size() == 1) schedule.stream.reset();
          const machine::Gpu& device = *machine::FindGpu(arch);
          schedule.shared_limit = device.shared_per_block_most;
          const Prices prices = PricesOf(unrolled, schedule, device);
          CHECK(prices.fused <= prices.apart);
          if (prices.fused < 0.8 * prices.apart) ++gained;
        }
      }
    }
  }
  CHECK(gained > 100);  // and not because nothing is fused
}

TEST_CASE("the fused plan of a random program is never predicted to take longer") {
  constexpr std::uint64_t kFirst = 430000;
  constexpr std::uint64_t kPrograms = 300;
  for (std::uint64_t seed = kFirst; seed < kFirst + kPrograms; ++seed) {
    const TestProgram program = GenerateProgram(seed);
    INFO("seed " << seed << "\n" << ToFileText(program));
    const graph::Graph graph = GraphOf(program.text, OptionsOf(program));
    const graph::Graph unrolled =
        passes::EliminateDead(passes::UnrollTime(graph, program.time_tile));
    const Prices prices = PricesOf(unrolled, program.schedule, machine::DefaultGpu());
    CHECK(prices.fused <= prices.apart);
  }
}

}  // namespace
}  // namespace stencilgen::testing
