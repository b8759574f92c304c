// Rows that lie in the same sets of the first-level cache.
#include "choose/cache_ways.h"

#include <vector>

#include "driver/pipeline.h"
#include "lower/cpp/vector_kernel.h"
#include "support/catch.h"

using namespace stencilgen;

namespace {

/// Of boxes of so many points of a star that reaches two points along each axis.
double Conflicts(const std::vector<int>& points, const graph::ParameterValues& sizes) {
  const SourceFile source("star", R"(
parameter L, M, N;
iterator k, j, i;
double u[L,M,N], v[L,M,N];
copyin u;
stencil star (v, u) {
  v[k][j][i] = u[k-2][j][i] + u[k-1][j][i] + u[k+1][j][i] + u[k+2][j][i] +
               u[k][j-2][i] + u[k][j-1][i] + u[k][j+1][i] + u[k][j+2][i] +
               u[k][j][i-2] + u[k][j][i-1] + u[k][j][i] + u[k][j][i+1] + u[k][j][i+2];
}
star (v, u);
copyout v;
)");
  DiagnosticSink sink;
  const auto graph = driver::CompileToGraph(source, {}, sink);
  REQUIRE(graph);
  const graph::Operator& op = std::get<graph::Operator>(*graph->nodes.begin());
  machine::Cpu cpu = machine::DefaultCpu();
  cpu.caches = {{1, 48 << 10, 64, 1, 1, 1}};  // 12 ways of 4 KiB
  const kernel::Body box = lower::cpp::LowerBox(*graph, op, points, kernel::Distribute::WhereFree);
  return choose::ConflictCycles(box, *graph, op, sizes, cpu);
}

}  // namespace

TEST_CASE("rows a multiple of 4 KiB apart lose each other's lines") {
  // Planes are 16 rows of 2 KiB, so that rows of all planes lie as those of one do. Of four planes'
  // points 8 rows of the column, 8 that are two rows from it and 4 results have their two lines in
  // the same two sets: 20 lines where 12 fit, 3.5 cycles each. The rows between are in other sets.
  CHECK(Conflicts({4, 1, 1}, {14, 16, 256}) == 2 * (20 - 12) * 3.5);
}

TEST_CASE("rows elsewhere, and few of them, lose nothing") {
  CHECK(Conflicts({4, 1, 1}, {14, 16, 300}) == 0);
  CHECK(Conflicts({1, 2, 1}, {14, 16, 256}) == 0);
}

TEST_CASE("without values of all parameters nothing is known") {
  CHECK(Conflicts({4, 1, 1}, {14, 16}) == 0);
}
