// What the plan predicts of a launch, against what the emulator counts when it runs.
#include "plan/traffic.h"
#include "support/catch.h"
#include "traffic_case.h"

namespace stencilgen::testing {
namespace {

plan::Schedule Asynchronous(plan::Schedule schedule) {
  schedule.prefetch = plan::Prefetch::Async;
  return schedule;
}
plan::Schedule WithRim(plan::Schedule schedule, plan::Prefetch prefetch = plan::Prefetch::None) {
  schedule.halo = plan::HaloBy::Loads;
  schedule.prefetch = prefetch;
  return schedule;
}

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

/// The three have the same points, and so one kernel.
constexpr const char* kReduced =
    "parameter M, N, T; iterator j, i; double u[M,N], v[M,N], r, q; copyin u, v;"
    "stencil s (v, u) { v[j][i] = u[j-1][i] + u[j+1][i] + u[j][i-1]; }"
    "stencil add (r, u, v) { r = sum(v[j][i]*u[j][i]); }"
    "stencil most (q, v) { q = max(abs(v[j][i])); }"
    "iterate T { [1:M-2][1:N-1] : s (v, u); [1:M-2][1:N-1] : add (r, u, v);"
    " [1:M-2][1:N-1] : most (q, v); swap u, v; } copyout u, r, q;";

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

}  // namespace
}  // namespace stencilgen::testing
