// What the plan predicts of a launch, against what the emulator counts when it runs.
#include <memory>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "plan/traffic.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "tools/run/emulator_control.h"

namespace stencilgen {
namespace {

using driver::PipelineOptions;

struct Case {
  const char* name;
  const char* text;
  plan::Schedule schedule;
  int time_tile = 1;
  std::vector<std::vector<int>> sizes;  ///< of the parameters, a run each
  /// How threads add up lanes is estimated: within a hundredth of all that is counted.
  bool adds_lanes = false;
};

/// Elements and events, of the whole program.
struct Counts {
  std::uint64_t load_bytes = 0, store_bytes = 0, shared_loads = 0, shared_stores = 0;
  std::uint64_t barriers = 0, flops = 0;
};

void Add(Counts& counts, const plan::Traffic& traffic, std::uint64_t turns) {
  counts.load_bytes += turns * static_cast<std::uint64_t>(traffic.load_bytes);
  counts.store_bytes += turns * static_cast<std::uint64_t>(traffic.store_bytes);
  counts.shared_loads += turns * static_cast<std::uint64_t>(traffic.shared_loads);
  counts.shared_stores += turns * static_cast<std::uint64_t>(traffic.shared_stores);
  counts.barriers += turns * static_cast<std::uint64_t>(traffic.barriers);
  counts.flops += turns * static_cast<std::uint64_t>(traffic.flops);
}

void Predict(const plan::Plan& plan, const std::vector<plan::Step>& steps,
             const graph::ParameterValues& parameters, std::uint64_t turns, Counts& counts) {
  for (const plan::Step& step : steps) {
    if (const auto* launch = std::get_if<plan::Launch>(&step)) {
      Add(counts, plan::FindTraffic(plan, plan.kernels[launch->kernel], parameters), turns);
    }
    if (const auto* copy = std::get_if<plan::CopyOutside>(&step)) {
      const auto bytes = static_cast<std::uint64_t>(plan::CountCopied(plan, *copy, parameters) *
                                                    SizeInBytes(plan.buffers[copy->dst].type));
      counts.load_bytes += turns * bytes;
      counts.store_bytes += turns * bytes;
    }
    if (const auto* repeat = std::get_if<plan::Repeat>(&step)) {
      const auto times = static_cast<std::uint64_t>(graph::Evaluate(repeat->turns, parameters));
      Predict(plan, repeat->body, parameters, turns * times, counts);
    }
  }
}

plan::Schedule Tiled(std::array<int, 3> block, std::array<int, 3> unroll = {1, 1, 1}) {
  plan::Schedule schedule;
  schedule.block = block;
  schedule.unroll = unroll;
  schedule.shared_memory = true;
  schedule.fusion = plan::Fusion::Max;
  return schedule;
}
plan::Schedule Streamed(plan::Schedule schedule, std::int64_t chunk) {
  schedule.stream = plan::Stream{0, chunk};
  return schedule;
}

plan::Schedule Asynchronous(plan::Schedule schedule) {
  schedule.prefetch = plan::Prefetch::Async;
  return schedule;
}
plan::Schedule WithRim(plan::Schedule schedule, plan::Prefetch prefetch = plan::Prefetch::None) {
  schedule.halo = plan::HaloBy::Loads;
  schedule.prefetch = prefetch;
  return schedule;
}

const char* const kStar2d =
    "parameter M, N, T; iterator j, i; double u[M,N]; copyin u; stencil s (A) {"
    "A[j][i] = 0.1*A[j-1][i] + 0.2*(A[j][i-1] + A[j][i] + A[j][i+1]) + 0.3*A[j+1][i]; }"
    "iterate T { s (u); } copyout u;";
const char* const kBox3d =
    "parameter L, M, N, T; iterator k, j, i; float u[L,M,N]; copyin u; stencil s (A) {"
    "A[k][j][i] = 0.1*A[k-1][j][i] + 0.2*(A[k][j][i-1] + A[k][j-1][i-1] + A[k][j][i+1])"
    " + 0.3*A[k+1][j+1][i]; } iterate T { s (u); } copyout u;";
const char* const kTwoStatements =
    "parameter M, N; iterator j, i; double u[M,N], v[M,N], w[M,N], r[M,N], c[M,N];"
    "copyin u, r, c, v, w; stencil s (V, U) { V[j][i] = U[j-2][i] + U[j][i-1] + c[j][i]; }"
    "stencil t (W, V) { W[j][i] = V[j][i] + V[j][i+1] * r[j][i] + r[j+1][i]; }"
    "s (v, u); [3:M-4][2:N-3] : t (w, v); copyout v, w;";
const char* const kLine =
    "parameter N, T; iterator i; double u[N]; copyin u; stencil s (A) {"
    "A[i] = 0.25*A[i-1] + 0.5*A[i] + 0.25*A[i+1]; } iterate T { s (u); } copyout u;";

const char* const kSwapped2d =
    "parameter M, N, T; iterator j, i; double u[M,N], v[M,N]; copyin u, v; stencil s (B, A) {"
    "B[j][i] = 0.1*A[j-1][i] + 0.2*(A[j][i-1] + A[j][i] + A[j][i+1]) + 0.3*A[j+1][i]; }"
    "iterate T { s (v, u); swap u, v; } copyout u;";
const char* const kLeapfrog =
    "parameter M, N, T; iterator j, i; double p[M,N], u[M,N]; copyin p, u; stencil s (P, A) {"
    "P[j][i] = 1.5*A[j][i] - P[j][i] + 0.1*(A[j-1][i] + A[j][i-1] + A[j][i+1] + A[j+1][i]); }"
    "iterate T { s (p, u); swap p, u; } copyout u;";
const char* const kThreeLevels =
    "parameter M, N, T; iterator j, i; double p[M,N], u[M,N], n[M,N]; copyin p, u, n;"
    "stencil s (Q, P, A) {"
    "Q[j][i] = 1.5*A[j][i] - P[j][i] + 0.1*(A[j-1][i] + A[j][i-1] + A[j][i+1] + A[j+1][i]); }"
    "iterate T { s (n, p, u); swap p, u; swap u, n; } copyout u;";
const char* const kTwoFields =
    "parameter M, N, T; iterator j, i; double a[M,N], b[M,N]; copyin a, b; stencil s (A, B) {"
    "A[j][i] = A[j][i] + 0.1*(B[j-1][i] - B[j][i]);"
    "B[j][i] = B[j][i] + 0.1*(A[j][i+1] - A[j][i]); } iterate T { s (a, b); } copyout a, b;";
const char* const kTwoSwapped =
    "parameter M, N, T; iterator j, i; double a[M,N], b[M,N], c[M,N], d[M,N]; copyin a, b, c, d;"
    "stencil s (C, D, A, B) { C[j][i] = A[j][i] + 0.1*(B[j-1][i] - B[j][i]);"
    "D[j][i] = B[j][i] + 0.1*(C[j][i+1] - C[j][i]); }"
    "iterate T { s (c, d, a, b); swap a, c; swap b, d; } copyout a, b;";

/// The three have the same points, and so one kernel.
constexpr const char* kReduced =
    "parameter M, N, T; iterator j, i; double u[M,N], v[M,N], r, q; copyin u, v;"
    "stencil s (v, u) { v[j][i] = u[j-1][i] + u[j+1][i] + u[j][i-1]; }"
    "stencil add (r, u, v) { r = sum(v[j][i]*u[j][i]); }"
    "stencil most (q, v) { q = max(abs(v[j][i])); }"
    "iterate T { [1:M-2][1:N-1] : s (v, u); [1:M-2][1:N-1] : add (r, u, v);"
    " [1:M-2][1:N-1] : most (q, v); swap u, v; } copyout u, r, q;";

/// Zeros stay as they are, and never change by less than nothing.
constexpr const char* kUntil =
    "parameter M, N, T; iterator j, i; double u[M,N], v[M,N], change; copyin u, v;"
    "stencil relax (B, A) { B[j][i] = 0.25*(A[j-1][i] + A[j+1][i] + A[j][i-1] + A[j][i+1]); }"
    "stencil measure (change, u, v) { change = max(abs(v[j][i] - u[j][i])); }"
    "iterate T until change < 0.0 every 10 { relax (v, u);"
    " [1:M-2][1:N-2] : measure (change, u, v); swap u, v; } copyout u;";

std::vector<Case> Cases() {
  plan::Schedule plain;
  plain.block = {8, 4, 1};
  plan::Schedule shuffled = Tiled({8, 4, 1}, {2, 1, 1});
  shuffled.shuffle = true;
  plan::Schedule early = Streamed(Tiled({16, 1, 1}, {2, 1, 1}), 7);
  early.prefetch = plan::Prefetch::Register;
  early.barriers = plan::BarrierRule::Step;
  plan::Schedule scattered = Streamed(Tiled({8, 8, 1}, {1, 2, 1}), 4);
  scattered.form = plan::Form::Scatter;
  const std::vector<std::vector<int>> sizes2 = {{23, 37, 5}, {5, 3, 4}, {40, 17, 2}};
  const std::vector<std::vector<int>> sizes3 = {{11, 14, 19, 3}, {3, 4, 5, 2}};
  return {
      {"reductions of what is made", kReduced, plain, 1, sizes2},
      {"plain", kStar2d, plain, 1, sizes2},
      {"plain streamed", kStar2d, Streamed(plain, 6), 1, sizes2},
      {"tile", kStar2d, Tiled({16, 8, 1}), 2, sizes2},
      {"tile, several points", kStar2d, Tiled({8, 4, 1}, {2, 3, 1}), 2, sizes2},
      {"tile, shuffles", kStar2d, shuffled, 2, sizes2},
      {"tile, serial stream", kStar2d, Streamed(Tiled({32, 1, 1}), 0), 4, sizes2},
      {"tile, chunks, early loads", kStar2d, early, 3, sizes2},
      {"box, serial stream", kBox3d, Streamed(Tiled({8, 8, 1}, {1, 2, 1}), 0), 2, sizes3},
      {"box, chunks", kBox3d, Streamed(Tiled({16, 8, 1}), 4), 1, sizes3},
      {"box, scattered", kBox3d, scattered, 2, sizes3},
      {"box, no stream", kBox3d, Tiled({8, 8, 4}), 1, sizes3},
      {"asynchronous copies", kBox3d, Asynchronous(Streamed(Tiled({8, 8, 1}, {1, 2, 1}), 4)), 1,
       sizes3},
      {"rim, serial stream", kStar2d, WithRim(Streamed(Tiled({16, 1, 1}), 0)), 3, sizes2},
      {"rim, tile", kStar2d, WithRim(Tiled({8, 4, 1}, {2, 3, 1})), 2, sizes2},
      {"rim with corners, chunks", kBox3d, WithRim(Streamed(Tiled({8, 4, 1}, {1, 2, 1}), 4)), 2,
       sizes3},
      {"rim, early loads", kBox3d, WithRim(Streamed(Tiled({8, 4, 1}), 3), plan::Prefetch::Register),
       1, sizes3},
      {"rim, asynchronous copies", kBox3d,
       WithRim(Streamed(Tiled({8, 4, 1}), 0), plan::Prefetch::Async), 1, sizes3},
      {"rim, scattered", kBox3d, WithRim(scattered), 2, sizes3},
      {"rim, two statements",
       kTwoStatements,
       WithRim(Streamed(Tiled({8, 1, 1}, {2, 1, 1}), 5)),
       1,
       {{23, 37}, {9, 6}}},
      {"two statements", kTwoStatements, Tiled({16, 8, 1}), 1, {{23, 37}, {9, 6}}},
      {"two statements, chunks",
       kTwoStatements,
       Streamed(Tiled({8, 1, 1}, {2, 1, 1}), 5),
       1,
       {{23, 37}, {9, 6}}},
      {"line", kLine, Tiled({32, 1, 1}, {3, 1, 1}), 4, {{501, 9}, {2, 3}}},
      {"swapped, three steps, stream", kSwapped2d, Streamed(Tiled({32, 1, 1}), 0), 3, sizes2},
      {"three levels, four steps, stream", kThreeLevels, Streamed(Tiled({32, 1, 1}), 0), 4, sizes2},
      {"tiles between looks", kUntil, Tiled({16, 8, 1}), 3, {{23, 37, 20}, {24, 24, 23}}, true},
      {"two fields, swapped", kTwoSwapped, Streamed(Tiled({32, 1, 1}), 5), 2, sizes2},
  };
}

struct Built {
  testing::TemporaryDirectory directory;
  driver::Compiled compiled;
  std::unique_ptr<driver::HostLibrary> library;
};

PipelineOptions OptionsOf(const Case& c) {
  PipelineOptions options;
  options.program_name = "p";
  options.verify = true;
  options.schedule = c.schedule;
  options.unroll_given = {true, true, true};
  options.time_tile = c.time_tile;
  const bool scatters = c.schedule.form == plan::Form::Scatter;
  options.codegen.fp = scatters ? FpMode::Fast : FpMode::Strict;
  options.codegen.standalone = false;
  options.codegen.function = "p";
  return options;
}

driver::Compiled Compile(const Case& c) {
  const SourceFile source("p.idsl", c.text);
  DiagnosticSink sink;
  auto compiled = driver::Compile(source, OptionsOf(c), sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(compiled.has_value());
  return *std::move(compiled);
}

void Build(const Case& c, Built& built) {
  const PipelineOptions options = OptionsOf(c);
  built.compiled = Compile(c);
  driver::BuildOptions build;
  build.backend = driver::Backend::CudaEmulated;
  build.fp = options.codegen.fp;
  build.optimize = 0;
  build.directory = built.directory.path();
  std::string error;
  built.library = driver::HostLibrary::Build(
      built.compiled.text + codegen::EmitTrampoline(built.compiled.module, options.codegen), "p",
      build, error);
  INFO(error);
  REQUIRE(built.library != nullptr);
}

/// Runs the program with these parameters on zeros.
driver::Counters Run(const Built& built, const std::vector<int>& sizes) {
  const plan::Plan& plan = built.compiled.plan;
  const graph::ParameterValues parameters(sizes.begin(), sizes.end());
  std::vector<std::vector<double>> memory;
  std::vector<void*> arrays;
  for (const graph::Array& array : plan.graph.arrays) {
    if (array.local || array.rank() == 0) continue;
    std::int64_t elements = 1;
    for (const auto& extent : array.extents) elements *= graph::Evaluate(extent, parameters);
    memory.emplace_back(static_cast<std::size_t>(elements), 0.0);
    arrays.push_back(memory.back().data());
  }
  const driver::EmulatorControl emulator(*built.library);
  emulator.Reset();
  REQUIRE(built.library->Call("p", arrays, {}, sizes) == 0);
  return emulator.Read();
}

void Check(const Case& c, const Built& built, const std::vector<int>& sizes) {
  INFO(c.name);
  const plan::Plan& plan = built.compiled.plan;
  const driver::Counters counted = Run(built, sizes);
  Counts predicted;
  Predict(plan, plan.steps, graph::ParameterValues(sizes.begin(), sizes.end()), 1, predicted);
  CHECK(predicted.load_bytes == counted.global_load_bytes);
  CHECK(predicted.store_bytes == counted.global_store_bytes);
  if (c.adds_lanes) {
    const auto near = [](std::uint64_t value) { return Approx(double(value)).epsilon(0.01); };
    CHECK(double(predicted.shared_loads) == near(counted.shared_loads));
    CHECK(double(predicted.flops) == near(counted.flops));
  } else {
    CHECK(predicted.shared_loads == counted.shared_loads);
    CHECK(predicted.flops == counted.flops);
  }
  CHECK(predicted.shared_stores == counted.shared_stores);
  CHECK(predicted.barriers == counted.barriers);
}

plan::Plan PlanOf(const char* text, const plan::Schedule& schedule, int time_tile) {
  PipelineOptions options;
  options.schedule = schedule;
  options.unroll_given = {true, true, true};
  options.time_tile = time_tile;
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(SourceFile("p.idsl", text), options, sink);
  REQUIRE(graph.has_value());
  return driver::CompileToPlan(*std::move(graph), options);
}

TEST_CASE("between two looks at a condition three turns move memory once") {
  // A block has all of the array.
  const auto count = [](int time_tile) {
    const Case c = {"until", kUntil, Tiled({32, 8, 1}, {1, 4, 1}), time_tile, {}};
    Built built;
    Build(c, built);
    return Run(built, {24, 24, 20});
  };
  constexpr std::uint64_t kWord = sizeof(double);
  constexpr std::uint64_t kRow = 22;
  constexpr std::uint64_t kAll = 24 * 24, kInside = kRow * kRow, kFrame = kAll - kInside;
  // 10 turns one by one, and a look, which reads what they have left: each point has a lane, of
  // which a row is left, and one value.
  const driver::Counters single = count(1);
  CHECK(single.global_load_bytes == 2 * kWord * (10 * kAll + 2 * kInside + kInside + kRow));
  CHECK(single.global_store_bytes == 2 * kWord * (10 * kInside + kInside + kRow + 1));
  // 9 turns in three tiles, which take the frame of v with them. The tenth turn looks: it adds to
  // its lane what it has in registers, and reads neighbours from caches.
  const driver::Counters tiles = count(3);
  CHECK(tiles.global_load_bytes ==
        2 * kWord * (3 * (kAll + kFrame) + 5 * kInside + kInside + kRow));
  CHECK(tiles.global_store_bytes == 2 * kWord * (3 * kInside + kInside + kInside + kRow + 1));
}

TEST_CASE("rows move as vectors, and nothing of them meets in a bank") {
  const graph::ParameterValues sizes = {64, 256, 4};
  plan::Schedule schedule = Streamed(Tiled({32, 1, 1}, {2, 1, 1}), 0);
  schedule.shuffle = true;
  const plan::Plan plan = PlanOf(kStar2d, schedule, 2);
  const plan::Traffic vectors = plan::FindTraffic(plan, *plan.kernels.begin(), sizes);
  CHECK(vectors.joined == vectors.loads / 2 + vectors.stores / 2);
  CHECK(vectors.shared_joined == 0);
  CHECK(vectors.strided_bytes == 0);
  // Without shuffles a thread publishes its two points at once, and reads one at each side.
  schedule.shuffle = false;
  const plan::Plan shared = PlanOf(kStar2d, schedule, 1);
  const plan::Traffic traffic = plan::FindTraffic(shared, *shared.kernels.begin(), sizes);
  CHECK(traffic.shared_joined == traffic.shared_stores / 2);
  CHECK(traffic.shared_loads - traffic.repeated_loads == traffic.shared_stores);
  CHECK(traffic.strided_bytes == 8 * traffic.shared_stores);
  // Copied past the registers, elements go one by one.
  const plan::Plan copied = PlanOf(kStar2d, Asynchronous(schedule), 1);
  const plan::Traffic singles = plan::FindTraffic(copied, *copied.kernels.begin(), sizes);
  CHECK(singles.joined == singles.stores / 2);
  CHECK(singles.strided_bytes > traffic.strided_bytes);
}

TEST_CASE("a thread's neighbouring points without a tile are loaded and stored at a stride") {
  const graph::ParameterValues sizes = {64, 256, 4};
  for (int points : {1, 2, 4}) {
    plan::Schedule schedule;
    schedule.unroll = {points, 1, 1};
    const plan::Plan plan = PlanOf(kStar2d, schedule, 1);
    const plan::Traffic traffic = plan::FindTraffic(plan, *plan.kernels.begin(), sizes);
    REQUIRE(traffic.load_bytes > 0);
    CHECK(traffic.strided_bytes == (points > 1 ? traffic.load_bytes + traffic.store_bytes : 0));
  }
}

TEST_CASE("divisions, roots and other functions are counted apart") {
  constexpr const char* kText =
      "parameter M, N; iterator j, i; double u[M,N], v[M,N]; copyin u; stencil s (V, U) {"
      "double r; r = 1.0/U[j][i]; V[j][i] = r / sqrt(U[j][i-1] + 2) + exp(r)*fabs(U[j][i+1]); }"
      "s (v, u); copyout v;";
  const graph::ParameterValues sizes = {64, 256};
  plan::Schedule plain;
  for (const plan::Schedule& schedule : {plain, Tiled({32, 8, 1})}) {
    const plan::Plan plan = PlanOf(kText, schedule, 1);
    const plan::Traffic traffic = plan::FindTraffic(plan, *plan.kernels.begin(), sizes);
    CHECK(traffic.flops % 8 == 0);
    CHECK(traffic.divisions == traffic.flops / 8 * 5);
  }
}

TEST_CASE("predicted traffic is what the emulator counts") {
  for (const Case& c : Cases()) {
    DYNAMIC_SECTION(c.name) {
      Built built;
      Build(c, built);
      for (const std::vector<int>& sizes : c.sizes) Check(c, built, sizes);
    }
  }
}

TEST_CASE("a GPU's kernel of reductions also makes what they take") {
  plan::Schedule plain;
  const plan::Plan plan = PlanOf(kReduced, plain, 1);
  REQUIRE(plan.kernels.size() == 5);  // and two rounds more for each of the two
  CHECK(plan.kernels.begin()->ops.size() == 3);
}

/// Bytes that one time tile moves: what three take more than one, halved.
struct Moved {
  std::uint64_t loads = 0, stores = 0;
};
template <typename CountsT>
Moved Between(const CountsT& few, const CountsT& more, std::uint64_t CountsT::*loads,
              std::uint64_t CountsT::*stores) {
  return {(more.*loads - few.*loads) / 2, (more.*stores - few.*stores) / 2};
}

constexpr int kRows = 201;
constexpr int kColumns = 187;

Moved PredictTimeTile(const Case& c) {
  const plan::Plan plan = Compile(c).plan;
  const auto predict = [&](int turns) {
    Counts counts;
    Predict(plan, plan.steps, {kRows, kColumns, turns}, 1, counts);
    return counts;
  };
  return Between(predict(c.time_tile), predict(3 * c.time_tile), &Counts::load_bytes,
                 &Counts::store_bytes);
}

Moved CountTimeTile(const Case& c) {
  Built built;
  Build(c, built);
  const driver::Counters few = Run(built, {kRows, kColumns, c.time_tile});
  const driver::Counters more = Run(built, {kRows, kColumns, 3 * c.time_tile});
  return Between(few, more, &driver::Counters::global_load_bytes,
                 &driver::Counters::global_store_bytes);
}

/// The same but for what lies around the points that are computed, which halos read several times.
/// A whole array would be three times that or more.
void CheckSame(const Moved& in_place, const Moved& swapped, std::uint64_t arrays) {
  const std::uint64_t few = 8 * arrays * 2 * (kRows + kColumns) * sizeof(double);
  CHECK(swapped.stores <= in_place.stores + few);
  CHECK(in_place.stores <= swapped.stores + few);
  CHECK(swapped.loads <= in_place.loads + few);
  CHECK(in_place.loads <= swapped.loads + few);
}

/// A program in both forms, and how many arrays there are of which one form needs only the frame.
struct Forms {
  const char* name;
  const char* in_place;
  const char* swapped;
  std::uint64_t arrays;
};
const std::vector<Forms> kForms = {{"one field", kStar2d, kSwapped2d, 1},
                                   {"two levels", kLeapfrog, kThreeLevels, 1},
                                   {"two fields", kTwoFields, kTwoSwapped, 2}};

TEST_CASE("steps that swap arrays are planned to move what steps in place do") {
  plan::Schedule plain;
  plain.block = {32, 4, 1};
  for (const Forms& each : kForms) {
    for (const plan::Schedule& schedule :
         {plain, Tiled({16, 16, 1}), Streamed(Tiled({32, 1, 1}), 30), Streamed(plain, 30)}) {
      for (const int steps : {1, 2, 3, 4}) {
        INFO(each.name << ", " << steps << " steps");
        CheckSame(PredictTimeTile({each.name, each.in_place, schedule, steps, {}}),
                  PredictTimeTile({each.name, each.swapped, schedule, steps, {}}), each.arrays);
      }
    }
  }
}

TEST_CASE("steps that swap arrays move what steps in place do") {
  const Forms& forms = kForms.front();
  const plan::Schedule schedule = Streamed(Tiled({32, 1, 1}), 30);
  CheckSame(CountTimeTile({forms.name, forms.in_place, schedule, 2, {}}),
            CountTimeTile({forms.name, forms.swapped, schedule, 2, {}}), forms.arrays);
}

}  // namespace
}  // namespace stencilgen
