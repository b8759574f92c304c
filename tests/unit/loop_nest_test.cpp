// Nests of the C++ target in plans: what they say, what is checked, and what they move.
#include "plan/loop_nest.h"

#include <string>
#include <variant>
#include <vector>

#include "choose/choose_nests.h"
#include "choose/nest_traffic.h"
#include "driver/explain_nests.h"
#include "driver/pipeline.h"
#include "frontend/read_program.h"
#include "plan/print.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/suite.h"

namespace stencilgen::testing {
namespace {

using driver::ChosenPlan;
using driver::Options;

/// What the command line makes of the program.
ChosenPlan Chosen(const std::string& text, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"p.idsl", "--target", "cpp", "--tuning-db", "none"});
  const auto parsed = driver::ParseCommandLine(arguments);
  REQUIRE(std::holds_alternative<Options>(parsed));
  const SourceFile source("p.idsl", text);
  DiagnosticSink sink;
  const auto program = ReadProgram(source, sink);
  REQUIRE(program);
  driver::PipelineOptions pipeline =
      driver::MakePipelineOptions(std::get<Options>(parsed), program->interface);
  pipeline.verify = true;
  auto graph = driver::CompileToGraph(*program, pipeline, sink);
  REQUIRE(graph);
  return driver::CompileToChosenPlan(*std::move(graph), pipeline);
}

bool Contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

/// A star of 7 points, out of place.
const char* const kStar = R"(
parameter L=512, M=512, N=512;
iterator k, j, i;
double u[L,M,N], v[L,M,N], c[N];
copyin u, c;
stencil star (v, u, c) {
  v[k][j][i] = c[i]*(u[k-1][j][i] + u[k+1][j][i] + u[k][j-1][i] + u[k][j+1][i] +
               u[k][j][i-1] + u[k][j][i+1] - 6.0*u[k][j][i]);
}
star (v, u, c);
copyout v;
)";

double Memory(const ChosenPlan& chosen, const plan::LoopNest& nest, std::int64_t cache,
              const graph::ParameterValues& sizes) {
  machine::Cpu cpu = machine::DefaultCpu();
  cpu.caches = {{1, cache, 64, 1, 1e11, 1e11}};
  const plan::Kernel& kernel = *chosen.plan.kernels.begin();
  const auto& op = std::get<graph::Operator>(chosen.plan.graph.nodes[kernel.ops.front()]);
  return choose::FindTraffic(chosen.plan.graph, {&op}, nest, sizes, cpu).memory;
}

}  // namespace

TEST_CASE("a nest says what it is") {
  const std::vector<std::string> names = {"k", "j", "i"};
  plan::LoopNest nest = plan::PlainNest(3);
  CHECK(plan::ToString(nest, names) == "point by point");
  nest.points = {2, 1, 1};
  nest.tile = {0, 32, 0};
  nest.threads = 1;
  CHECK(plan::ToString(nest, names) == "2x1x1 points a turn, tiles of 32 along j, 1 thread");
  nest.vectors = true;
  nest.order = plan::NestOrder::Trees;
  nest.threads = 0;
  CHECK(plan::ToString(nest, names) ==
        "vectors at 2x1x1 points in the order of trees, tiles of 32 along j");
  nest.pack = 4;
  nest.points = {1, 1, 1};
  CHECK(Contains(plan::ToString(nest, names), "packs of 4 vectors in the order of trees"));
}

TEST_CASE("what no nest can be is found") {
  const auto problem = [](const plan::LoopNest& nest, std::size_t operators = 1) {
    return plan::Verify(nest, operators, 3);
  };
  const plan::LoopNest plain = plan::PlainNest(3);
  CHECK(problem(plain).empty());
  CHECK(problem(plain, 4).empty());
  CHECK(Contains(plan::Verify(plain, 1, 2), "3 loops for 2 iterators"));
  plan::LoopNest nest = plain;
  nest.points[1] = 0;
  CHECK(problem(nest) == "a turn without points");
  nest = plain;
  nest.tile[0] = 8;
  CHECK(problem(nest) == "a tile along what threads share");
  nest = plain;
  nest.tile[1] = -2;
  CHECK(problem(nest) == "a tile without points");
  nest.tile[1] = plan::kTileByCache;
  CHECK(problem(nest) == "tiles by the cache of nothing known");
  nest.row_bytes = 32;
  nest.planes = 3;
  CHECK(problem(nest).empty());
  nest.past_caches = true;
  CHECK(problem(nest).empty());
  CHECK(problem(nest, 2).empty());
  nest.points[1] = 2;
  CHECK(problem(nest) == "lines of several points a turn");
  nest = plain;
  nest.vectors = true;
  CHECK(problem(nest).empty());
  CHECK(problem(nest, 2) == "vectors of several operators");
  nest.points[2] = 2;
  CHECK(problem(nest) == "several points along vectors");
  nest = plain;
  nest.order = plan::NestOrder::Lars;
  CHECK(problem(nest) == "an order without vectors");
  nest = plain;
  nest.threads = -1;
  CHECK(problem(nest) == "a negative number");
  ChosenPlan chosen = Chosen(kStar);
  CHECK(plan::Verify(chosen.plan).empty());
  chosen.plan.kernels.begin()->nest->points.pop_back();
  CHECK(plan::Verify(chosen.plan).size() == 1);
}

TEST_CASE("what is chosen for a CPU is in the plan") {
  const std::string vectors = BenchmarkNamed("2d25pt").text;
  const ChosenPlan chosen = Chosen(vectors);
  const plan::Kernel& kernel = *chosen.plan.kernels.begin();
  REQUIRE(kernel.nest);
  CHECK(kernel.nest->vectors);
  CHECK(Contains(plan::Print(chosen.plan), "vectors"));
  const ChosenPlan given =
      Chosen(vectors, {"--reorder", "none", "--tile", "j=48", "--threads", "3", "--unroll", "j=2"});
  REQUIRE(given.plan.kernels.begin()->nest);
  const plan::LoopNest& nest = *given.plan.kernels.begin()->nest;
  CHECK_FALSE(nest.vectors);
  CHECK(nest.points == std::vector<int>{2, 1});
  CHECK(nest.threads == 3);
  // Threads share j.
  CHECK(nest.tile == std::vector<int>{0, 0});
  CHECK(Contains(plan::Print(given.plan), "2x1 points a turn, 3 threads"));
  const ChosenPlan strict = Chosen(vectors, {"--fp", "strict"});
  CHECK_FALSE(strict.plan.kernels.begin()->nest->vectors);
  const ChosenPlan lars = Chosen(vectors, {"--reorder", "lars", "--unroll", "i=3"});
  CHECK(lars.plan.kernels.begin()->nest->order == plan::NestOrder::Lars);
  CHECK(lars.plan.kernels.begin()->nest->pack == 3);
}

TEST_CASE("traffic is by layer conditions") {
  const ChosenPlan chosen = Chosen(kStar, {"--fp", "strict"});
  const graph::ParameterValues sizes = {512, 512, 512};
  const plan::LoopNest plain = plan::PlainNest(3);
  constexpr std::int64_t kKi = 1024;
  // Three planes of u and one of v, 2 MiB each, in half of the cache.
  CHECK(Memory(chosen, plain, 32 * kKi * kKi, sizes) == 16);
  // Rows alone: u three times.
  CHECK(Memory(chosen, plain, 1 * kKi * kKi, sizes) == 32);
  // Not even rows: three of one plane, two others.
  CHECK(Memory(chosen, plain, 8 * kKi, sizes) == 48);
  // Tiles of 30 rows make planes short; two rows more are read by two tiles.
  plan::LoopNest tiled = plain;
  tiled.tile[1] = 30;
  const double at_edges = Memory(chosen, tiled, 2 * kKi * kKi, sizes);
  CHECK(at_edges > 16);
  CHECK(at_edges < 17);
  // Two planes a turn share two of the four that they need.
  plan::LoopNest two = plain;
  two.points[0] = 2;
  CHECK(Memory(chosen, two, 1 * kKi * kKi, sizes) == 8 * (2 + 1));
  // Small grids are read once whatever is done.
  CHECK(Memory(chosen, plain, 1 * kKi * kKi, {64, 64, 64}) == 16);
}

TEST_CASE("a plan for a CPU is explained") {
  const ChosenPlan chosen = Chosen(BenchmarkNamed("clover2d-accelerate").text);
  const std::string page = driver::ExplainNests(chosen, machine::DefaultCpu());
  for (const char* part :
       {"1 loop nest for a CPU with vectors of 32 bytes with M=4096, N=4096",
        "computes accelerate (4 statements): ", "4 statements share what they read",
        "bytes a point out of memory and back", "a launch, limited by what is moved"}) {
    CHECK(Contains(page, part));
  }
  const ChosenPlan vectors = Chosen(BenchmarkNamed("2d121pt").text);
  const std::string other = driver::ExplainNests(vectors, machine::DefaultCpu());
  CHECK(Contains(other, "fewer loads"));
  CHECK(Contains(other, "a plain nest "));
}

TEST_CASE("loops are explained, and sweeps in place") {
  const auto page = [](const std::string& boundary, const std::string& calls) {
    const ChosenPlan chosen =
        Chosen("parameter M=64, N=64, T=9; iterator j, i; double u[M,N]; copyin u; " + boundary +
               "stencil s (u) { u[j][i] = u[j-1][i] + u[j+1][i]; } " + calls + " copyout u;");
    return driver::ExplainNests(chosen, machine::DefaultCpu());
  };
  CHECK(Contains(page("", "iterate T { s (u); }"),
                 "the loop over T turns runs in tiles of several turns"));
  CHECK(Contains(page("boundary u = wrap; ", "iterate T { s (u); }"),
                 "the loop over T turns runs in tiles of several turns"));
  CHECK(Contains(page("", "stencil r (u) { u[j][i] = u[3][i]; } iterate T { r (u); }"),
                 "the loop over T turns runs turn by turn: u is used at places that do not move "
                 "with the point"));
  CHECK(Contains(page("", "s (u);"), "in place: new planes wait in a few planes of u_alt"));
}

TEST_CASE("reductions are explained by their lanes") {
  const auto page = [](const std::string& value) {
    const ChosenPlan chosen =
        Chosen("parameter M=64, N=64; iterator j, i; double u[M,N], a; copyin u; a = " + value +
               "; copyout a;");
    return driver::ExplainNests(chosen, machine::DefaultCpu());
  };
  for (const char* value : {"sum(u[j][i])", "max(u[3][i])"}) {
    CHECK(Contains(page(value), "set_a: rows of points in vectors, added to rows of lanes\n"));
    CHECK(Contains(page(value), "set_a: one point after the other into one value\n"));
    CHECK_FALSE(Contains(page(value), "point by point"));
  }
}

TEST_CASE("a statement at one place has no loops") {
  const ChosenPlan chosen = Chosen(R"(
parameter N=100;
iterator i;
double u[N], v[N];
copyin u, v;
stencil ends (u, v) {
  u[0] = v[1] > 0.0 ? v[2] : v[3];
  v[0] = u[0];
}
ends (u, v);
copyout u, v;
)");
  REQUIRE(!chosen.plan.kernels.empty());
  for (const plan::Kernel& kernel : chosen.plan.kernels) {
    REQUIRE(kernel.nest);
    CHECK(kernel.nest->points.empty());
    CHECK_FALSE(kernel.nest->vectors);
  }
  CHECK(Contains(driver::ExplainNests(chosen, machine::DefaultCpu()), "ends"));
}

TEST_CASE("sweeps over arrays beyond the caches store past them, in tiles that caches hold") {
  const auto nest_of = [](const ChosenPlan& chosen) { return *chosen.plan.kernels.begin()->nest; };
  const ChosenPlan large = Chosen(kStar);
  CHECK(Contains(plan::Print(large.plan),
                 "star: point by point, tiles along j as caches hold them, stores past caches"));
  // Three planes of u and one of v, in rows of 8 bytes an element; one row more on each side of u.
  CHECK(nest_of(large).row_bytes == 8 * (3 + 1));
  CHECK(nest_of(large).rim_bytes == 8 * 3 * 2);
  CHECK(nest_of(large).planes == 3);
  // What fits into caches stays as it is, and what was asked for too.
  CHECK(nest_of(Chosen(kStar, {"-D", "L=40", "-D", "M=40", "-D", "N=40"})).past_caches == false);
  const plan::LoopNest given = nest_of(Chosen(kStar, {"--tile", "j=16"}));
  CHECK(given.tile == std::vector<int>{0, 16, 0});
  CHECK(given.past_caches);

  // What the sweep reads before it changes it is in caches already.
  const std::string text = kStar;
  std::string sum = text;
  sum.replace(sum.find("v[k][j][i] ="), 12, "v[k][j][i] +=");
  sum.replace(sum.find("copyin u"), 8, "copyin v, u");
  CHECK_FALSE(nest_of(Chosen(sum)).past_caches);
  CHECK(nest_of(Chosen(sum)).tile[1] == plan::kTileByCache);
  // Two results of one nest have lines at the same places, or none.
  std::string two = text;
  two.replace(two.find("v[L,M,N]"), 8, "v[L,M,N], w[L,M,N]");
  two.replace(two.find("star (v, u, c) {"), 16,
              "star (v, u, c, w) { w[k][j][i] = u[k-1][j][i] + u[k+1][j][i] - u[k][j-1][i] - "
              "u[k][j+1][i] + u[k][j][i-1] + u[k][j][i+1];");
  two.replace(two.rfind("star (v, u, c)"), 14, "star (v, u, c, w)");
  two.replace(two.find("copyout v"), 9, "copyout v, w");
  const ChosenPlan both = Chosen(two, {"--fusion", "max"});
  REQUIRE(both.plan.kernels.size() == 1);
  CHECK(nest_of(both).past_caches);
  std::string shifted = two;
  shifted.replace(shifted.find("w[L,M,N]"), 8, "w[L,M,N+1]");
  const ChosenPlan apart = Chosen(shifted, {"--fusion", "max"});
  REQUIRE(apart.plan.kernels.size() == 1);
  CHECK_FALSE(nest_of(apart).past_caches);
}

TEST_CASE("neighbours in tiles of turns come from registers where loads are what points wait for") {
  const auto shifts = [](const std::string& text, std::vector<std::string> arguments = {}) {
    const ChosenPlan chosen = Chosen(text, std::move(arguments));
    int count = 0;
    for (const plan::Kernel& kernel : chosen.plan.kernels) count += kernel.nest->shifts ? 1 : 0;
    return count;
  };
  const auto loop = [](const std::string& value, const std::string& more = "") {
    return "parameter M=4000, N=4000, T=100;\niterator j, i;\ndouble u[M,N], v[M,N];\n"
           "copyin u, v;\nstencil s (u, v) { " +
           value + " }\niterate T { s (u, v); }\n" + more + "copyout u;\n";
  };
  const std::string heat =
      loop("u[j][i] = 0.5*u[j][i] + 0.125*(u[j][i-1] + u[j][i+1] + u[j-1][i] + u[j+1][i]);");
  CHECK(shifts(heat) == 1);
  CHECK(shifts(heat, {"--fp", "strict"}) == 1);
  CHECK(shifts(heat, {"--time-tile", "1"}) == 0);
  CHECK(shifts(heat, {"--unroll", "j=2"}) == 0);
  const ChosenPlan chosen = Chosen(heat);
  CHECK(Contains(plan::Print(chosen.plan),
                 "point by point, neighbours by shifts of vectors in tiles"));
  // One neighbour of each row; what is written is read; more than sums and products.
  CHECK(shifts(loop("u[j][i] = 0.5*u[j][i] + 0.25*(u[j-1][i] + u[j+1][i]);")) == 0);
  CHECK(shifts(loop("v[j][i] += u[j][i] - u[j][i-1]; u[j][i] += v[j][i+1] - v[j][i];")) == 0);
  CHECK(shifts(loop("u[j][i] = sqrt(u[j][i-1]*u[j][i-1] + u[j][i+1]*u[j][i+1]);")) == 0);
  // Little would be gained: in three dimensions more rows are read at one place.
  CHECK(shifts(BenchmarkNamed("heat3d-periodic").text) == 0);
  // Arithmetic takes longer than loads.
  CHECK(shifts(BenchmarkNamed("gray-scott").text) == 0);
  // Modes mean nothing inside a row.
  CHECK(shifts(BenchmarkNamed("heat1d-periodic").text) == 1);
  CHECK(shifts(BenchmarkNamed("heat2d-periodic").text) == 1);
}

TEST_CASE("vectors give way to plain loops where memory is what they wait for") {
  // A star of 25 points would gain 1.8 in caches, a box of 125 points 2.7.
  const auto is_vector = [](const ChosenPlan& chosen) {
    return chosen.plan.kernels.begin()->nest->vectors;
  };
  const std::string box = BenchmarkNamed("3d125pt").text;
  CHECK(is_vector(Chosen(box)));
  const std::string small = BenchmarkNamed("3d27pt").text;
  CHECK_FALSE(is_vector(Chosen(small)));
  CHECK(is_vector(Chosen(small, {"-D", "L=60", "-D", "M=60", "-D", "N=60"})));
}

}  // namespace stencilgen::testing
