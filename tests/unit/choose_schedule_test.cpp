// The plans that are chosen where the command line leaves them open, and the model that chooses.
#include "driver/choose_schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "choose_schedule_tools.h"
#include "driver/pipeline.h"
#include "plan/barriers.h"
#include "plan/cost.h"
#include "plan/hexagon.h"
#include "plan/plan_kernels.h"
#include "plan/print.h"
#include "plan/time_band.h"
#include "support/catch.h"
#include "support/suite.h"

namespace stencilgen {
namespace {

using driver::ChosenPlan;

std::string Single(std::string text) {
  for (std::size_t at; (at = text.find("double")) != std::string::npos;) {
    text.replace(at, 6, "float");
  }
  return text;
}

plan::PlanCost CostOf(const ChosenPlan& chosen) {
  return plan::EstimateCost(chosen.plan, machine::DefaultGpu(), chosen.sizes);
}

const std::vector<std::string> kPlain = {"--fusion", "none",        "--shared-mem",
                                         "false",    "--time-tile", "1"};

TEST_CASE("hexagons are chosen where they are asked for, as deep as asked for") {
  const ChosenPlan chosen = Choose(
      TextOf("fdtd2d"), {"--shape", "hexagon", "--time-tile", "10", "--blockdim", "x=64,y=2"});
  CHECK(chosen.notes.empty());
  CHECK(chosen.chosen.time_tile == 10);
  const auto loops = plan::LoopsWithBands(chosen.plan);
  REQUIRE(loops.size() == 1);
  REQUIRE(loops[0]->band->hexagon);
  const plan::Hexagon& hexagon = *loops[0]->band->hexagon;
  CHECK(hexagon.half == 5);
  CHECK(hexagon.block == std::array{64, 2});
  CHECK(loops[0]->band->launches.size() == 3);
  // Strips fill a window of a power of two, of which 9 turns that lean, a shift and a neighbour at
  // each side take 12 elements.
  const plan::HexagonStorage storage = plan::StorageOf(chosen.plan, *loops[0]);
  CHECK(storage.boxes.size() == 3);
  CHECK(storage.used[0].size() <= storage.extents[0]);
  CHECK(storage.bytes <= 227 * 1024);
  const plan::PlanCost cost = CostOf(chosen);
  REQUIRE(cost.hexagons.size() == 1);
  // Who asks for 10 steps a tile is taken to have 100 times as many, of 5 a half.
  CHECK(cost.hexagons[0].launches == 201);
  CHECK(cost.hexagons[0].resident >= 1);
}

TEST_CASE("loops that cannot have hexagons run step by step, and a note says why") {
  const ChosenPlan chosen = Choose(TextOf("gray-scott"), {"--shape", "hexagon"});
  CHECK(plan::LoopsWithBands(chosen.plan).empty());
  REQUIRE(chosen.notes.size() == 1);
  CHECK(chosen.notes[0] ==
        "--shape hexagon: the loop over T turns runs step by step: arrays wrap around");
  const ChosenPlan small =
      Choose(TextOf("fdtd2d"), {"--shape", "hexagon", "--time-tile", "8", "--shmem", "1"});
  REQUIRE(small.notes.size() == 1);
  CHECK(small.notes[0].find("bytes of shared memory of 1024") != std::string::npos);
}

TEST_CASE("2D Jacobi gets fused time steps, 3D ones a stream") {
  CHECK(Choose(TextOf("j2d5pt")).chosen.time_tile >= 2);
  for (const char* name : {"j3d7pt", "j3d13pt", "j3d27pt", "poisson", "curl"}) {
    INFO(name);
    const ChosenPlan chosen = Choose(TextOf(name));
    REQUIRE(chosen.chosen.schedule.stream.has_value());
    // Along k, or j where that is as good: never along rows.
    CHECK(chosen.chosen.schedule.stream->iterator < 2);
    CHECK(chosen.plan.kernels.begin()->tile.has_value());
  }
}

/// Blocks of the launch, in waves of the device.
double Waves(const plan::KernelCost& cost) {
  return static_cast<double>(cost.traffic.blocks) /
         static_cast<double>(cost.occupancy.blocks * machine::DefaultGpu().sms);
}

TEST_CASE("chunks are left to the host, and at the sizes planned for they make whole waves") {
  for (const char* name : {"j2d5pt", "j2d9pt", "j2d9pt-gol", "gaussian"}) {
    for (const std::string& text : {TextOf(name), Single(TextOf(name))}) {
      for (const char* size : {"M=16384,N=16384", "M=12000,N=20000"}) {
        const ChosenPlan chosen = Choose(text, {"-D", size, "-D", "T=1000"});
        const plan::KernelCost cost = CostOf(chosen).kernels.front();
        const plan::Kernel& kernel = chosen.plan.kernels[cost.kernel];
        if (!kernel.schedule.stream) continue;
        INFO(name << " " << size << ": " << Waves(cost) << " waves");
        CHECK(kernel.schedule.stream->shortest == plan::kFewestRows);
        CHECK(kernel.schedule.stream->chunk >= plan::kFewestRows);
        CHECK(kernel.chunks.shortest == plan::kFewestRows);
        CHECK(kernel.chunks.lone > 0);
        CHECK(kernel.chunks.lone <= 1);
        CHECK(Waves(cost) / std::ceil(Waves(cost)) > 0.95);
      }
    }
  }
  // What tiles compute around their chunk: five steps of a star of radius one.
  const ChosenPlan steps = Choose(
      TextOf("j2d5pt"), {"--time-tile", "5", "--fusion", "max", "--concurrent-stream", "j:auto"});
  CHECK(steps.plan.kernels.begin()->chunks.overlap >= 10);
}

TEST_CASE("small grids have chunks no shorter than they may be") {
  for (const char* size : {"M=64,N=64", "M=100,N=1000", "M=300,N=50"}) {
    const ChosenPlan chosen =
        Choose(TextOf("j2d5pt"), {"-D", size, "--concurrent-stream", "j:auto"});
    for (const plan::Kernel& kernel : chosen.plan.kernels) {
      CHECK(kernel.schedule.stream->chunk >= plan::kFewestRows);
    }
  }
}

TEST_CASE("registers are kept for the blocks that are counted on, where they are scarce") {
  const auto first = [](const std::string& steps) {
    const ChosenPlan chosen =
        Choose(TextOf("j3d7pt"),
               {"--shared-mem", "true", "--no-shuffle", "--time-tile", steps, "--concurrent-stream",
                "k:128", "--blockdim", "x=32,y=8", "--unroll", "j=4,i=1", "--halo", "loads",
                "--fusion", "max", "--prefetch", "none", "--barriers", "level"});
    CHECK(plan::Print(chosen.plan).find("registers for") ==
          (steps == "3" ? plan::Print(chosen.plan).find("registers for 2 blocks a multiprocessor")
                        : std::string::npos));
    CHECK(CostOf(chosen).kernels[0].occupancy.blocks == 2);
    return chosen.plan.kernels.begin()->resident;
  };
  // Two blocks leave a thread 128 registers, of which three steps need nearly all.
  CHECK(first("3") == 2);
  CHECK(first("1") == 0);
  CHECK(Choose(TextOf("j3d7pt"), {"--cregs", "128"}).plan.kernels.begin()->resident == 0);
}

TEST_CASE("long loops of 3D stars in single precision get shuffles, vectors and three steps") {
  for (const char* name : {"j3d7pt", "heat"}) {
    INFO(name);
    const ChosenPlan chosen = Choose(Single(TextOf(name)), {"-D", "T=1000"});
    const plan::Kernel& kernel = *chosen.plan.kernels.begin();
    CHECK(chosen.chosen.time_tile == 3);
    REQUIRE(kernel.tile.has_value());
    CHECK(kernel.tile->shuffle);
    CHECK(kernel.tile->alignment >= 2);
    CHECK(kernel.tile->Points() >= 8);
    CHECK(plan::CountBarriers(*kernel.tile) == 1);
    // Nearly all that goes through shared memory goes in whole vectors.
    const plan::Traffic& traffic = CostOf(chosen).kernels[0].traffic;
    CHECK(traffic.strided_bytes * 20 < traffic.shared_bytes);
  }
}

TEST_CASE(
    "long loops of 3D stars in double precision get few warps of many points and three steps") {
  for (const char* name : {"j3d7pt", "heat"}) {
    INFO(name);
    const ChosenPlan chosen = Choose(TextOf(name), {"-D", "T=1000"});
    CHECK(chosen.chosen.time_tile == 3);
    CHECK(chosen.chosen.schedule.shuffle);
    // Four steps would leave no registers for the plane that comes a step early.
    CHECK(chosen.chosen.schedule.prefetch == plan::Prefetch::Register);
    CHECK(plan::CountBarriers(*chosen.plan.kernels.begin()->tile) == 1);
    CHECK(chosen.plan.kernels.begin()->tile->Points() == 8);
  }
}

TEST_CASE("time steps of 2D stars are bound by their instructions, not by what vectors cost") {
  const ChosenPlan chosen = Choose(TextOf("j2d5pt"), {"-D", "M=16384,N=16384,T=1000"});
  CHECK(chosen.plan.kernels.begin()->tile->alignment == 2);
  CHECK(CostOf(chosen).kernels[0].limit == plan::CostLimit::Issue);
  CHECK(CostOf(chosen).kernels[0].traffic.strided_bytes == 0);
}

TEST_CASE("divisions and roots are priced") {
  const auto arithmetic = [](const std::string& value) {
    const ChosenPlan chosen = Choose(
        "parameter M=8192, N=8192; iterator j, i; double u[M,N], v[M,N]; copyin u;"
        "stencil s (V, U) { V[j][i] = " +
            value + "; } s (v, u); copyout v;",
        kPlain);
    const plan::KernelCost kernel = CostOf(chosen).kernels[0];
    return kernel.alone[static_cast<std::size_t>(plan::CostLimit::Arithmetic)];
  };
  const double sum = arithmetic("U[j][i-1] + U[j][i+1]");
  CHECK(arithmetic("U[j][i-1] / U[j][i+1]") > 5 * sum);
  CHECK(arithmetic("U[j][i-1] / sqrt(U[j][i+1])") < 1.5 * arithmetic("U[j][i-1] / U[j][i+1]"));
}

TEST_CASE("chosen tiles load little more than they must") {
  for (const char* name : {"j2d5pt", "j3d7pt", "j3d27pt", "gaussian"}) {
    for (const bool single : {false, true}) {
      INFO(name << (single ? ", float" : ", double"));
      const ChosenPlan chosen = Choose(single ? Single(TextOf(name)) : TextOf(name));
      double moved = 0;
      double points = 0;
      for (const plan::KernelCost& kernel : CostOf(chosen).kernels) {
        const plan::Kernel& info = chosen.plan.kernels[kernel.kernel];
        moved += kernel.launches *
                 static_cast<double>(kernel.traffic.load_bytes + kernel.traffic.store_bytes);
        points += kernel.launches * static_cast<double>(kernel.traffic.points) *
                  static_cast<double>(info.ops.size());
      }
      // One array read and one written, once for the time steps of a kernel.
      const double compulsory = (single ? 8.0 : 16.0) / chosen.chosen.time_tile;
      CHECK(moved / points <= 1.35 * compulsory);
    }
  }
}

TEST_CASE("what one kernel cannot hold is fused in parts") {
  const ChosenPlan chosen = Choose(TextOf("hypterm"));
  CHECK(chosen.plan.kernels.size() > 1);
  CHECK(chosen.plan.kernels.size() < 15);
  double moved = 0;
  for (const plan::KernelCost& kernel : CostOf(chosen).kernels) {
    moved += kernel.launches *
             static_cast<double>(kernel.traffic.load_bytes + kernel.traffic.store_bytes);
  }
  // Thirteen arrays read and five written at 292 points along each axis.
  CHECK(moved <= 4.0 * 18 * 8 * 292 * 292 * 292);
  // In single precision too, no other wish about fusion is better.
  const std::string single = Single(TextOf("hypterm"));
  const double seconds = CostOf(Choose(single)).seconds;
  for (const char* fusion : {"none", "max", "greedy"}) {
    CHECK(seconds <= CostOf(Choose(single, {"--fusion", fusion})).seconds);
  }
}

TEST_CASE("a kernel takes no more operators than the schedule says") {
  DiagnosticSink sink;
  const SourceFile source("p.idsl", TextOf("hypterm"));
  const auto graph = driver::CompileToGraph(source, {}, sink);
  REQUIRE(graph);
  plan::Schedule schedule;
  schedule.block = {32, 16, 1};
  schedule.stream = plan::Stream{0, 0};
  schedule.shared_memory = true;
  schedule.fusion = plan::Fusion::Max;
  for (const int most : {4, 9, 15}) {
    schedule.most_operators = most;
    std::size_t left = 15;
    for (const plan::Kernel& kernel : plan::PlanKernels(*graph, schedule).kernels) {
      CHECK(kernel.ops.size() == std::min<std::size_t>(left, static_cast<std::size_t>(most)));
      left -= kernel.ops.size();
    }
    CHECK(left == 0);
  }
}

double LaunchesOf(const plan::PlanCost& cost) {
  double launches = 0;
  for (const plan::KernelCost& kernel : cost.kernels) launches += kernel.launches;
  return launches;
}
/// No slower, or as fast within a hundredth with less than a quarter of the launches.
bool IsNoWorse(const ChosenPlan& chosen, const ChosenPlan& other) {
  const plan::PlanCost a = CostOf(chosen), b = CostOf(other);
  const bool fewer = 4 * LaunchesOf(a) < LaunchesOf(b);
  const double most = fewer ? 1.01 : 1.0;
  return a.seconds <= most * b.seconds && chosen.chosen.seconds <= most * other.chosen.seconds;
}

TEST_CASE("no chosen plan is estimated to be worse than plain kernels, or without fusion") {
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    INFO(benchmark.name);
    const ChosenPlan chosen = Choose(benchmark.text);
    const double seconds = CostOf(chosen).seconds;
    CHECK(std::isfinite(seconds));
    CHECK(seconds > 0);
    CHECK(IsNoWorse(chosen, Choose(benchmark.text, kPlain)));
    const ChosenPlan apart = Choose(benchmark.text, {"--fusion", "none"});
    CHECK(IsNoWorse(chosen, apart));
    CHECK(IsNoWorse(Choose(benchmark.text, {"--fusion", "greedy"}), apart));
  }
}

TEST_CASE("between plans of the same price the one with many fewer kernels is chosen") {
  // 368 kernels and 32 are predicted the same within a hundredth.
  const std::string text = TextOf("clover2d-step");
  const ChosenPlan chosen = Choose(text);
  const ChosenPlan apart = Choose(text, {"--fusion", "none", "--shared-mem", "false"});
  CHECK(CostOf(chosen).seconds > 0.99 * CostOf(apart).seconds);
  CHECK(chosen.plan.kernels.size() == 32);
  CHECK(apart.plan.kernels.size() == 368);
}

TEST_CASE("what is given stays, the rest is chosen around it") {
  const std::string text = TextOf("j2d5pt");
  const auto schedule = [&](const std::vector<std::string>& arguments) {
    return Choose(text, arguments).chosen.schedule;
  };
  CHECK(schedule({"--blockdim", "x=96"}).block[0] == 96);
  CHECK(schedule({"--unroll", "i=3"}).unroll[0] == 3);
  CHECK(schedule({"--concurrent-stream", "j:77"}).stream->chunk == 77);
  CHECK(schedule({"--concurrent-stream", "j:77"}).stream->shortest == 0);
  CHECK(schedule({"--serial-stream", "j"}).stream->chunk == 0);
  CHECK(schedule({"--serial-stream", "j"}).stream->shortest == 0);
  CHECK(schedule({"--concurrent-stream", "j:auto"}).stream->shortest == plan::kFewestRows);
  CHECK(schedule({"--fusion", "none"}).fusion == plan::Fusion::None);
  CHECK_FALSE(schedule({"--shared-mem", "false"}).shared_memory);
  CHECK(schedule({"--shuffle"}).shuffle);
  CHECK(schedule({"--prefetch", "register"}).prefetch == plan::Prefetch::Register);
  CHECK(schedule({"--barriers", "step"}).barriers == plan::BarrierRule::Step);
  for (const int steps : {1, 3, 5}) {
    const ChosenPlan chosen = Choose(text, {"--time-tile", std::to_string(steps)});
    CHECK(chosen.chosen.time_tile == steps);
    CHECK(chosen.plan.kernels.begin()->ops.size() == static_cast<std::size_t>(steps));
    CHECK(chosen.notes.empty());
  }
  // A block along the dimension that streams usually take.
  CHECK(schedule({"--blockdim", "x=16,y=16"}).block == std::array<int, 3>{16, 16, 1});
}

TEST_CASE("plain kernels where tiles are switched off") {
  const ChosenPlan chosen = Choose(TextOf("j3d7pt"), kPlain);
  REQUIRE(chosen.plan.kernels.size() == 1);
  const plan::Kernel& kernel = *chosen.plan.kernels.begin();
  CHECK_FALSE(kernel.tile.has_value());
  CHECK(kernel.schedule.block == std::array<int, 3>{32, 4, 1});
  CHECK(chosen.tried == 1);
}

TEST_CASE("a wish that does not fit is noted with its reason") {
  const ChosenPlan chosen =
      Choose(TextOf("j2d5pt"), {"--time-tile", "8", "--blockdim", "x=16,y=1", "--stream", "j",
                                "--unroll", "i=1", "--halo", "threads", "--fusion", "max"});
  REQUIRE(chosen.notes.size() == 1);
  CHECK(chosen.notes[0].find("--time-tile 8: ") == 0);
  CHECK(chosen.notes[0].find("16 points along i has no room for halos of 8 and 8") !=
        std::string::npos);
  CHECK(Choose(TextOf("j2d5pt"), {"--time-tile", "2", "--fusion", "none"}).notes.size() == 1);
}

TEST_CASE("sizes come from -D, then from defaults, then are assumed") {
  const std::string text =
      "parameter M=100, N, T; iterator j, i; double u[M,N]; copyin u; stencil s (A) {"
      "A[j][i] = 0.5*(A[j][i-1] + A[j][i+1]); } iterate T { s (u); } copyout u;";
  const ChosenPlan chosen = Choose(text, {"-D", "T=7"});
  CHECK(chosen.sizes == graph::ParameterValues{100, 8192, 7});
  CHECK(chosen.assumed == std::vector<std::string>{"N"});
}

TEST_CASE("the choice is the same every time") {
  for (const char* name : {"j2d5pt", "hypterm", "curl"}) {
    const std::string text = TextOf(name);
    CHECK(plan::Print(Choose(text).plan) == plan::Print(Choose(text).plan));
  }
}

/// Statements that each read one array and write another: the result before, or all of them u0.
std::string ManyStatements(int count, bool in_a_chain) {
  std::string arrays = "u0[M,N]", calls, outputs;
  for (int k = 1; k <= count; ++k) {
    arrays += fmt::format(", u{}[M,N]", k);
    calls += fmt::format("s (u{}, u{});\n", k, in_a_chain ? k - 1 : 0);
    if (k == count || !in_a_chain) outputs += fmt::format("copyout u{};\n", k);
  }
  return fmt::format(
      "parameter M=2048, N=2048;\niterator j, i;\ndouble {};\ncopyin u0;\n"
      "stencil s (B, A) {{ B[j][i] = A[j-1][i] + A[j+1][i] + A[j][i-1] + A[j][i+1]; }}\n{}{}",
      arrays, calls, outputs);
}

TEST_CASE("long programs are fused without a search") {
  CHECK(Choose(TextOf("rhs4center")).tried > 1);
  for (const bool in_a_chain : {true, false}) {
    const ChosenPlan chosen = Choose(ManyStatements(300, in_a_chain));
    CHECK(chosen.tried == 8);
    CHECK(chosen.plan.kernels.size() == (in_a_chain ? 38 : 11));
  }
  CHECK(Choose(ManyStatements(1100, true)).tried == 1);
}

TEST_CASE("a loop costs its turns") {
  const std::string text = TextOf("j2d5pt");
  const auto seconds = [&](const std::string& turns) {
    std::vector<std::string> arguments = kPlain;
    arguments.insert(arguments.end(), {"-D", "T=" + turns});
    return CostOf(Choose(text, arguments)).seconds;
  };
  const double before_loop = 2 * seconds("100") - seconds("200");
  CHECK(seconds("300") - before_loop == Approx(3 * (seconds("100") - before_loop)));
}

TEST_CASE("a plan that leaves threads too few registers costs more than any other") {
  // 1024 threads have 64 registers each; four steps on eight points need more for their planes.
  const std::vector<std::string> large = {"--shared-mem", "true", "--fusion",    "max",
                                          "--stream",     "j",    "--blockdim",  "x=1024",
                                          "--unroll",     "i=8",  "--time-tile", "4"};
  CHECK(std::isinf(CostOf(Choose(TextOf("j2d5pt"), large)).seconds));
}

TEST_CASE("plain kernels are priced near the bandwidth of the device") {
  const ChosenPlan chosen = Choose(TextOf("j2d5pt"), kPlain);
  const plan::PlanCost cost = CostOf(chosen);
  REQUIRE(cost.kernels.size() == 1);
  const plan::KernelCost& kernel = cost.kernels[0];
  // Waiting for loads takes a little longer than moving them.
  CHECK(kernel.limit == plan::CostLimit::Latency);
  CHECK(kernel.launches == 4);
  // 8190 x 8190 points written, 8192 x 8192 less the corners read.
  const double bytes = 8.0 * (8190.0 * 8190.0 + 8192.0 * 8192.0);
  CHECK(kernel.traffic.compulsory_bytes == Approx(bytes));
  CHECK(kernel.seconds > bytes / machine::DefaultGpu().memory_achieved);
  CHECK(kernel.seconds < 1.5 * bytes / machine::DefaultGpu().memory_achieved);
}

}  // namespace
}  // namespace stencilgen
