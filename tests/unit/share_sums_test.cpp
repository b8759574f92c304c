// What sums have in common is computed once: exact results, and how many instructions are left.
#include "passes/share_sums.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernel/print.h"
#include "kernel/verify.h"
#include "plan/tile_body.h"
#include "support/parse_body.h"
#include "support/random_body.h"
#include "support/suite.h"
#include "support/suite_bodies.h"
#include "tile_test_tools.h"

namespace stencilgen::testing {
namespace {

using kernel::Body;
using passes::CountArithmetic;
using passes::ShareSums;

void CheckShared(const Body& body, const Body& shared, std::uint64_t seed) {
  INFO(seed << "\n" << kernel::Print(body) << "---\n" << kernel::Print(shared));
  REQUIRE(kernel::Verify(shared).empty());
  CHECK(ExactResults(shared, seed) == ExactResults(body, seed));
  CHECK(CountArithmetic(shared) <= CountArithmetic(body));
}

TEST_CASE("random bodies keep their results and take no more arithmetic") {
  int fewer = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Prng random(8000 + seed);
    const Body body = RandomBody(random, random.Range(1, 60));
    const Body shared = ShareSums(body);
    CheckShared(body, shared, seed);
    fewer += CountArithmetic(shared) < CountArithmetic(body) ? 1 : 0;
  }
  CHECK(fewer > 100);
}

TEST_CASE("a pair with one coefficient is added once, whatever its sign") {
  const Body body = ParseBody(
      "a += 2.0 * x; a += 2.0 * y; a += z\n"
      "b += 3.0 * x; b += 3.0 * y; b += 5.0 * z\n"
      "c -= x; c -= y; c += 7.0 * z\n"
      "d += x; d -= y; d += 7.0 * z\n"
      "store a; store b; store c; store d");
  const Body shared = ShareSums(body);
  CheckShared(body, shared, 1);
  CHECK(CountArithmetic(body) == 2 + 3 + 2 + 2);
  // x + y, then one instruction for each of its uses: z begins a, and b and c have a product each.
  CHECK(CountArithmetic(shared) == 1 + 1 + 2 + 1 + 2);
}

TEST_CASE("terms that sums have in common are one value") {
  const Body body = ParseBody(
      "a += 2.0 * x; a += 3.0 * y; a += 5.0 * z; a += 7.0 * v\n"
      "b -= 2.0 * x; b -= 3.0 * y; b -= 5.0 * z; b += 11.0 * w\n"
      "store a; store b");
  const Body shared = ShareSums(body);
  CheckShared(body, shared, 1);
  CHECK(CountArithmetic(body) == 8);
  CHECK(CountArithmetic(shared) == 3 + 1 + 1);
}

TEST_CASE("products of two elements and other operations stay as they are") {
  const Body body = ParseBody(
      "r = sqrt(x)\n"
      "a += x * y; a += r; a += z\n"
      "b += x * y; b += r; b -= z\n"
      "store a; store b");
  const Body shared = ShareSums(body);
  CheckShared(body, shared, 1);
  CHECK(kernel::Print(shared) == kernel::Print(body));
}

TEST_CASE("bodies of the suites keep their results and take no more arithmetic") {
  for (const Benchmark& benchmark : Benchmarks()) {
    const graph::Graph graph = GraphOfText(benchmark.text);
    for (const auto& run : OperatorRuns(graph)) {
      if (run.front()->iterators.empty()) continue;
      std::vector<int> unroll(run.front()->iterators.size(), 1);
      if (unroll.size() > 1) unroll[unroll.size() - 2] = 4;
      const Body body = BodyOfRun(graph, run, unroll);
      INFO(benchmark.name);
      CheckShared(body, ShareSums(body), 2);
    }
  }
}

/// Instructions of a thread with four points along j, its planes along k.
std::int64_t InstructionsOf(const std::string& sum, bool share) {
  const graph::Graph graph = GraphOf(
      "parameter L, M, N; iterator k, j, i; double u[L,M,N], x[L,M,N];"
      "copyin u; stencil s (u, x) { x[k][j][i] = " +
      sum + "; } s (u, x); copyout x;");
  graph::Graph with_parts = graph;
  const auto node = graph.regions[graph.root].nodes.front();
  const auto& op = std::get<graph::Operator>(graph.nodes[node]);
  const auto scatter = plan::FindScatter(with_parts, op, 0);
  REQUIRE(scatter);
  auto built =
      plan::BuildTile(with_parts, {node}, {graph.outputs[0].version}, {{node, *scatter}},
                      ScheduleOf("block=32,8,1 unroll=1,4,1 stream=0:0 shared=yes form=scatter"));
  const auto& tile = std::get<plan::Tile>(built);
  REQUIRE(tile.ops[0].scatter);
  plan::SumRules rules;
  rules.share = share;
  const plan::TileBody body = plan::WriteBody(with_parts, tile, 0, plan::PointsOf(tile), rules);
  CHECK(body.shared == share);
  CHECK(kernel::Verify(body.body).empty());
  return body.arithmetic;
}

/// The sum over a cube of 27 elements, each times weight(|k|, |j|, |i|).
template <typename Weight>
std::string Cube(Weight weight) {
  std::string sum;
  for (int k = -1; k <= 1; ++k) {
    for (int j = -1; j <= 1; ++j) {
      for (int i = -1; i <= 1; ++i) {
        sum += fmt::format("{}{}*u[k{:+}][j{:+}][i{:+}]", sum.empty() ? "" : " + ", weight(k, j, i),
                           k, j, i);
      }
    }
  }
  return sum;
}

TEST_CASE("planes of a scattered sum share what a plane adds to them") {
  // Equal at equal distance from the centre: along i added once for the rows above and below, all
  // of a plane once for the planes on both sides.
  const std::string around = Cube([](int k, int j, int i) { return 0.5 + k * k + j * j + i * i; });
  CHECK(InstructionsOf(around, false) == 4 * 20);
  CHECK(InstructionsOf(around, true) == 46);
  // Equal about the centre of each plane, planes apart (j3d27pt).
  const std::string planes =
      Cube([](int k, int j, int i) { return 0.5 + k + 5 * j * j + 3 * i * i + j * i; });
  CHECK(InstructionsOf(planes, false) == 4 * 29);
  CHECK(InstructionsOf(planes, true) == 76);
}

}  // namespace
}  // namespace stencilgen::testing
