// Greedy fusion on small programs: rules of order, resources, constraints, clusters.
#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "fuse_test_tools.h"
#include "graph/verify.h"
#include "plan/fuse_greedy.h"
#include "plan/fuse_model.h"
#include "support/graph_builder.h"

namespace stencilgen::testing {
namespace {

using plan::FusionObjective;
using plan::FusionTuple;
using plan::MoreProfitable;

TEST_CASE("rules a to g decide in their order") {
  const FusionTuple base{2, 4, 4, 2, 2};
  // Each differs from the base in what one rule looks at, equal in all rules before it.
  const std::vector<std::pair<const char*, FusionTuple>> better = {
      {"a", {3, 9, 9, 0, 0}},   // more data movement saved
      {"b", {2, 3, 4, 2, 2}},   // fewer planes held
      {"c", {2, 5, 3, 2, 2}},   // as many, fewer of them in shared memory
      {"e", {2, 4, 4, 3, 2}},   // more planes shared by both
      {"f", {2, 4, 4, 1, 3}}};  // as many, more of them in shared memory
  for (const auto& [rule, tuple] : better) {
    INFO(rule);
    CHECK(MoreProfitable(tuple, base, FusionObjective::DataMovement));
    CHECK_FALSE(MoreProfitable(base, tuple, FusionObjective::DataMovement));
  }
  CHECK_FALSE(MoreProfitable(base, base, FusionObjective::DataMovement));
}

TEST_CASE("the objective's own rule comes first") {
  const FusionTuple moves{3, 8, 2, 0, 0};
  const FusionTuple few_registers{1, 2, 6, 0, 0};
  const FusionTuple few_shared{1, 9, 1, 0, 0};
  const auto best = [&](FusionObjective objective) {
    std::vector<FusionTuple> all = {few_registers, moves, few_shared};
    return *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return MoreProfitable(a, b, objective);
    });
  };
  CHECK(best(FusionObjective::DataMovement) == moves);
  CHECK(best(FusionObjective::Registers) == few_registers);
  CHECK(best(FusionObjective::SharedMemory) == few_shared);
  CHECK(MoreProfitable(moves, {2, 8, 1, 0, 0}, FusionObjective::Registers));
}

/// A star of that order around each point of `u`, each point with its own coefficient.
Ex Star(GraphBuilder& b, const ArrayHandle& u, int order) {
  Ex sum = b.Number(0.5, ScalarType::Float) * u(0, 0, 0);
  for (int reach = 1; reach <= order; ++reach) {
    for (const int r : {-reach, reach}) {
      for (const Ex& arm : {u(r, 0, 0), u(0, r, 0), u(0, 0, r)}) {
        sum = sum + b.Number(0.1, ScalarType::Float) * arm;
      }
    }
  }
  return sum;
}

/// `steps` stars of that order over 512 cubed floats, each on the points that it can compute.
graph::Graph ChainOf(int order, int steps) {
  GraphBuilder b({"k", "j", "i"});
  ArrayHandle from = b.Array("u0", {512, 512, 512}, ScalarType::Float).CopyIn();
  for (int step = 1; step <= steps; ++step) {
    const ArrayHandle to = b.Array(fmt::format("u{}", step), {512, 512, 512}, ScalarType::Float);
    if (step == steps) to.CopyOut();
    const std::int64_t margin = std::int64_t{step} * order;
    const Bounds inside{margin, 511 - margin};
    b.Assign(to, {inside, inside, inside}, Star(b, from, order));
    from = to;
  }
  return b.Finish();
}

plan::Schedule Streamed() {
  plan::Schedule schedule;
  schedule.block = {32, 32, 1};
  schedule.stream = plan::Stream{0, 0};
  schedule.shared_memory = true;
  return schedule;
}

std::string ChainClusters(int order, int steps) {
  const graph::Graph graph = ChainOf(order, steps);
  plan::FusionSettings settings;
  settings.device = machine::FindGpu("sm_35");
  settings.tiles = false;  // the model alone: such tiles are more than 48 KiB hold
  return ClustersOf(plan::FuseGreedy(graph, Streamed(), settings).regions.front());
}

TEST_CASE("greedy fusion of four operators takes the degrees of Table 3.2") {
  CHECK(ChainClusters(1, 4) == "1 2 3 4");
  CHECK(ChainClusters(2, 4) == "1 2|3 4");
  CHECK(ChainClusters(4, 4) == "1|2|3|4");
}

TEST_CASE("greedy fusion of 12 steps of the 13-point stencil takes pairs, as Figure 3.7") {
  CHECK(ChainClusters(2, 12) == "1 2|3 4|5 6|7 8|9 10|11 12");
}

TEST_CASE("planes of one operator are in registers where each point reads its own alone") {
  const graph::Graph graph = ChainOf(1, 2);
  const plan::Schedule schedule = Streamed();
  const plan::FusionSettings settings;
  const plan::FusionModel model(graph, graph.root, schedule, settings);
  const plan::FusionCluster first = model.Single(0);
  // The planes before and after in registers, and the result; the plane itself is shared.
  CHECK(first.registers == 3);
  CHECK(first.shared == 1);
  // The last assignment to an output is in memory.
  const plan::FusionCluster second = model.Single(1);
  CHECK(second.registers == 2);
  CHECK(second.shared == 1);
  // Fused, the second is a plane behind. What the first makes is the plane ahead of the second's,
  // in a register; one step later it is in shared memory.
  const plan::FusionCluster both = model.Join(first, second);
  CHECK(both.lags == std::vector<std::int64_t>{0, 1});
  CHECK(both.registers == 2 + 2);
  CHECK(both.shared == 2);
  CHECK(model.Tuple(first, second) == FusionTuple{2, 4, 2, 1, 0});
}

TEST_CASE("listing 3.3 of the thesis: two accumulated Jacobi steps") {
  // Each plane's part is a statement; the planes that the statements add to become offsets.
  const graph::Graph graph = GraphOf(R"(
    parameter L, M, N;
    iterator k, j, i;
    float A[L,M,N], B[L,M,N], C[L,M,N];
    copyin A;
    stencil j3d7pt (A, B, C) {
      B[k+1][j][i] = A[k][j][i];
      B[k][j][i] += A[k][j-1][i] + A[k][j][i-1] + A[k][j][i] + A[k][j][i+1] + A[k][j+1][i];
      B[k-1][j][i] += A[k][j][i];
      C[k][j][i] = B[k-1][j][i];
    }
    j3d7pt (A, B, C);
    copyout C;
  )");
  const plan::Schedule schedule = Streamed();
  const plan::FusionSettings settings;
  const plan::FusionModel model(graph, graph.root, schedule, settings);
  REQUIRE(model.size() == 4);
  // One element of A and the sum.
  CHECK(model.Single(0).registers == 2);
  CHECK(model.Single(0).shared == 0);
  // Five of a plane of A: shared. The sum.
  CHECK(model.Single(1).registers == 1);
  CHECK(model.Single(1).shared == 1);
  // The three statements add to one sum: one register, and three planes of A.
  const plan::FusionCluster sum =
      model.Join(model.Join(model.Single(0), model.Single(1)), model.Single(2));
  CHECK(sum.registers == 3);
  CHECK(sum.shared == 1);
  // Sums of one array save one transfer, reads of A one.
  CHECK(model.Tuple(model.Single(0), model.Single(1)).data_movement == 2);
  // The last statement reads the sum: a store and a load less.
  CHECK(model.Tuple(sum, model.Single(3)).data_movement == 2);
}

TEST_CASE("a cluster is convex: what lies between two operators joins first") {
  GraphBuilder b({"j", "i"});
  const ArrayHandle u = b.Array("u", {64, 64}).CopyIn();
  const ArrayHandle v = b.Array("v", {64, 64}), w = b.Array("w", {64, 64});
  const ArrayHandle out = b.Array("out", {64, 64}).CopyOut();
  const Bounds all{1, 62};
  b.Assign(v, {all, all}, u(0, 0) + u(0, 1));
  b.AssignTo(w, {0, 1}, {all, all}, {At(1), At(0)}, v(0, 0) + v(0, 0));  // transposed: alone
  b.Assign(out, {all, all}, v(0, 0) + w(0, 0));
  const graph::Graph graph = b.Finish();
  REQUIRE(graph::Verify(graph).empty());
  plan::Schedule schedule;
  schedule.block = {16, 8, 1};
  schedule.shared_memory = true;
  const plan::RegionFusion region = plan::FuseGreedy(graph, schedule, {}).regions.front();
  CHECK(ClustersOf(region) == "1|2|3");
  // The pair (1, 3) is no candidate, and the others have no tile.
  for (const plan::FusionStep& step : region.steps) {
    for (const plan::FusionCandidate& candidate : step.candidates) {
      CHECK(Text(candidate) != "1 + 3");
    }
    for (const plan::RefusedCandidate& refused : step.refused) {
      CHECK(refused.refusal.constraint == plan::FusionConstraint::Tile);
    }
  }
}

TEST_CASE("clusters may be of operators that do not follow each other") {
  GraphBuilder b({"j", "i"});
  const ArrayHandle u = b.Array("u", {256, 256}).CopyIn(), v = b.Array("v", {256, 256}).CopyIn();
  const ArrayHandle a = b.Array("a", {256, 256}).CopyOut(), c = b.Array("c", {256, 256}).CopyOut();
  const ArrayHandle d = b.Array("d", {256, 256}).CopyOut(), e = b.Array("e", {256, 256}).CopyOut();
  const Bounds all{1, 254};
  b.Assign(a, {all, all}, u(0, -1) + u(0, 1));
  b.Assign(c, {all, all}, v(0, -1) + v(0, 1));
  b.Assign(d, {all, all}, u(0, -1) + u(0, 0));
  b.Assign(e, {all, all}, v(0, 0) + v(0, 1));
  const graph::Graph graph = b.Finish();
  plan::Schedule schedule;
  schedule.block = {32, 8, 1};
  schedule.shared_memory = true;
  schedule.most_operators = 2;
  const plan::RegionFusion region = plan::FuseGreedy(graph, schedule, {}).regions.front();
  CHECK(ClustersOf(region) == "1 3|2 4");
  REQUIRE(region.steps.size() == 3);
  CHECK(region.steps.back().refused.front().refusal.constraint == plan::FusionConstraint::Size);
  CHECK(region.steps.back().refused.front().refusal.reason ==
        "it has 4 operators, a kernel may have 2");
}

TEST_CASE("a thousand operators are fused in seconds") {
  GraphBuilder b({"k", "j", "i"});
  std::vector<ArrayHandle> arrays = {b.Array("u0", {300, 300, 300}, ScalarType::Float).CopyIn()};
  const Bounds inside{4, 295};
  for (int n = 1; n <= 1000; ++n) {
    const ArrayHandle to =
        b.Array(fmt::format("u{}", n), {300, 300, 300}, ScalarType::Float).CopyOut();
    // Two earlier ones: a wide graph with short and long paths.
    const ArrayHandle& x = arrays[static_cast<std::size_t>(n * 7 / 11)];
    const ArrayHandle& y = arrays[static_cast<std::size_t>(n / 3)];
    b.Assign(to, {inside, inside, inside}, x(0, 0, 0) + x(1, 0, 0) + y(0, 0, 1) + y(0, -1, 0));
    arrays.push_back(to);
  }
  const graph::Graph graph = b.Finish();
  const std::clock_t start = std::clock();
  const plan::FusionResult result = plan::FuseGreedy(graph, Streamed(), {});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(result.regions.front().clusters.size() < 667);
  CHECK(seconds < 30);
}

TEST_CASE("recomputation that takes longer than it saves is refused with its numbers") {
  const graph::Graph graph = ChainOf(4, 2);
  plan::FusionSettings settings;
  settings.device = machine::FindGpu("sm_35");
  settings.tiles = false;
  const plan::RegionFusion region = plan::FuseGreedy(graph, Streamed(), settings).regions.front();
  REQUIRE(region.steps.size() == 1);
  REQUIRE(region.steps[0].refused.size() == 1);
  const plan::FusionRefusal& refusal = region.steps[0].refused[0].refusal;
  CHECK(refusal.constraint == plan::FusionConstraint::Recomputation);
  CHECK(refusal.reason.find("% of its points computed twice") != std::string::npos);
}

TEST_CASE("a check that finds spills is not asked about more of the same") {
  const graph::Graph graph = ChainOf(1, 4);
  plan::FusionSettings settings;
  settings.tiles = false;
  std::vector<std::size_t> asked;
  settings.check = [&](const plan::FusionProposal& proposal) -> std::optional<plan::FusionRefusal> {
    asked.push_back(proposal.ops.size());
    return plan::FusionRefusal{plan::FusionConstraint::Spills, "12 bytes are spilled"};
  };
  const plan::RegionFusion region = plan::FuseGreedy(graph, Streamed(), settings).regions.front();
  CHECK(ClustersOf(region) == "1|2|3|4");
  CHECK(asked == std::vector<std::size_t>{2, 2, 2});
  CHECK(region.steps.back().refused.front().refusal.reason == "12 bytes are spilled");
}

}  // namespace
}  // namespace stencilgen::testing
