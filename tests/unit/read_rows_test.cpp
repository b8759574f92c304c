// Bytes between the second-level cache and blocks, and what a thread asks for twice.
#include <string>

#include "driver/pipeline.h"
#include "plan/cost.h"
#include "plan/traffic.h"
#include "support/catch.h"

namespace stencilgen {
namespace {

plan::Plan PlanOf(const std::string& text, const plan::Schedule& schedule) {
  driver::PipelineOptions options;
  options.schedule = schedule;
  options.unroll_given = {true, true, true};
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(SourceFile("p.idsl", text), options, sink);
  REQUIRE(graph.has_value());
  return driver::CompileToPlan(*std::move(graph), options);
}

/// Bytes that a block reads of the kernel's arrays, a launch of `blocks` of them.
double ReadByBlock(const std::string& text, const plan::Schedule& schedule,
                   const graph::ParameterValues& sizes, int blocks) {
  const plan::Plan plan = PlanOf(text, schedule);
  REQUIRE(plan.kernels.size() == 1);
  const plan::Traffic traffic = plan::FindTraffic(plan, *plan.kernels.begin(), sizes);
  REQUIRE(traffic.blocks == blocks);
  return (traffic.cache_bytes - static_cast<double>(traffic.store_bytes)) / blocks;
}

plan::Schedule Blocks(int x, int y) {
  plan::Schedule schedule;
  schedule.block = {x, y, 1};
  return schedule;
}

TEST_CASE("an untiled block reads each of its rows once, and of a star no corners") {
  const std::string star =
      "parameter L, M, N; iterator k, j, i; double u[L,M,N], v[L,M,N]; copyin u;"
      "stencil s (V, U) { V[k][j][i] = U[k-1][j][i] + U[k+1][j][i] + U[k][j-1][i] + U[k][j+1][i]"
      " + U[k][j][i-1] + U[k][j][i+1] + U[k][j][i]; } s (v, u); copyout v;";
  // Four rows of 34, two beside them and eight above and below of 32, each with a sector less an
  // element, wherever it begins.
  CHECK(ReadByBlock(star, Blocks(32, 4), {66, 66, 66}, 2048) ==
        4 * (34 * 8 + 24) + 10 * (32 * 8 + 24));
  const std::string box =
      "parameter M, N; iterator j, i; float u[M,N], v[M,N]; copyin u; stencil s (V, U) {"
      "V[j][i] = U[j-1][i-1] + U[j+1][i+1]; } s (v, u); copyout v;";
  // Of six rows two are read to the left, two to the right, and two to both sides.
  CHECK(ReadByBlock(box, Blocks(32, 4), {66, 66}, 32) == 4 * (32 * 4 + 28) + 2 * (34 * 4 + 28));
}

TEST_CASE("rows and elements that a stride passes over are not read") {
  const auto program = [](const std::string& value) {
    return "parameter M, N; iterator j, i; double u[M,N], v[64,64]; copyin u; stencil s (V, U) {"
           "V[j][i] = " +
           value + "; } s (v, u); copyout v;";
  };
  const auto by_block = [&](const std::string& value) {
    const plan::Plan plan = PlanOf(program(value), Blocks(32, 4));
    const plan::Traffic traffic =
        plan::FindTraffic(plan, *plan.kernels.begin(), graph::ParameterValues{1024, 1024});
    const double blocks = static_cast<double>(traffic.points) / 128;
    return (traffic.cache_bytes - static_cast<double>(traffic.store_bytes)) / blocks;
  };
  CHECK(by_block("U[2*j][i]") == 4 * (32 * 8 + 24));
  // Odd rows are others than even ones, and rows one on are some of them.
  CHECK(by_block("U[2*j][i] + U[2*j+1][i] + U[2*j+2][i]") == 9 * (32 * 8 + 24));
  // Two of four elements in a sector: the run from the first to the last; one of eight: a sector.
  CHECK(by_block("U[j][2*i]") == 4 * (63 * 8 + 24));
  CHECK(by_block("U[j][8*i]") == 4 * (32 * 32));
}

TEST_CASE("places that come from memory cost each point a sector") {
  const std::string gather =
      "parameter M, N; iterator j, i; double u[N], v[M,N]; int at[M,N]; copyin u, at;"
      "stencil s (V, U, A) { V[j][i] = U[A[j][i]]; } s (v, u, at); copyout v;";
  CHECK(ReadByBlock(gather, Blocks(32, 4), {64, 64}, 32) == 128 * 32 + 4 * (32 * 4 + 28));
}

TEST_CASE("what a thread has read itself in a step is not read again") {
  const std::string two =
      "parameter M, N; iterator j, i; double u[M,N], c[N], v[M,N], w[M,N]; copyin u, c, v;"
      "stencil s (V, U, C) { V[j][i] = C[i] * (U[j][i-1] + U[j][i+1]); }"
      "stencil t (W, V, C) { W[j][i] = C[i] * V[j][i]; }"
      "s (v, u, c); t (w, v, c); copyout w;";
  plan::Schedule schedule = Blocks(32, 4);
  schedule.shared_memory = true;
  schedule.fusion = plan::Fusion::Max;
  const plan::Plan plan = PlanOf(two, schedule);
  REQUIRE(plan.kernels.size() == 1);
  const plan::Traffic traffic =
      plan::FindTraffic(plan, *plan.kernels.begin(), graph::ParameterValues{66, 66});
  REQUIRE(traffic.direct_bytes > 0);
  CHECK(traffic.merged_bytes == 8 * traffic.merged_loads);
  CHECK(2 * traffic.merged_bytes == traffic.direct_bytes);
}

}  // namespace
}  // namespace stencilgen
