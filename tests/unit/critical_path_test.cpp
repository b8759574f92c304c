#include "plan/critical_path.h"

#include <string>

#include "driver/pipeline.h"
#include "plan/plan_kernels.h"
#include "support/catch.h"

namespace stencilgen {
namespace {

graph::Graph GraphOf(const std::string& body) {
  const SourceFile source("test.idsl",
                          "parameter N=64; iterator i; double u[N], v[N], w[N], x[N]; copyin u;"
                          "allocin v, w, x; stencil s (A, B, C, D) { " +
                              body + " } s (u, v, w, x); copyout v, w, x;");
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, {}, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  return *std::move(graph);
}

double PathOfValue(const std::string& value) {
  const graph::Graph graph = GraphOf("[2:N-3] : B[i] = " + value + ";");
  return plan::CriticalPath(
      graph, std::get<graph::Operator>(graph.nodes[graph.regions[graph.root].nodes[0]]));
}

/// Of the one tile that all the statements are planned into.
double PathOfTile(const std::string& body) {
  plan::Schedule schedule;
  schedule.block = {64, 1, 1};
  schedule.shared_memory = true;
  schedule.fusion = plan::Fusion::Max;
  const plan::Plan plan = plan::PlanKernels(GraphOf(body), schedule);
  REQUIRE(plan.kernels.size() == 1);
  const plan::Kernel& kernel = *plan.kernels.begin();
  REQUIRE(kernel.tile.has_value());
  return plan::CriticalPath(plan, *kernel.tile);
}

TEST_CASE("a value waits for the longest chain of operations") {
  CHECK(PathOfValue("A[i]") == 0);
  CHECK(PathOfValue("A[i-1] + A[i] + A[i+1]") == 10);
  CHECK(PathOfValue("A[i-1] + (A[i] + (A[i+1] - A[i+2]))") == 15);
  CHECK(PathOfValue("A[i]*A[i]") == 5);
  // A product in a sum is part of a multiply-add.
  CHECK(PathOfValue("2.0*A[i] + 3.0*A[i+1]") == 5);
  CHECK(PathOfValue("A[i]/A[i+1]") == 40);
  CHECK(PathOfValue("1.0/sqrt(A[i] + A[i+1])") == 85);
  CHECK(PathOfValue("max(A[i], A[i+1])") == 5);
}

TEST_CASE("locals lengthen the chain of what reads them") {
  const graph::Graph graph =
      GraphOf("double t, r; t = A[i] + A[i+1]; r = t/A[i]; [2:N-3] : B[i] = t + (r + A[i-1]);");
  CHECK(plan::CriticalPath(
            graph, std::get<graph::Operator>(graph.nodes[graph.regions[graph.root].nodes[0]])) ==
        5 + 40 + 5 + 5);
}

TEST_CASE("operators of a tile overlap where they do not wait for each other") {
  // One barrier (40), a read of shared memory (30), an addition (5).
  const std::string one = "[2:N-3] : B[i] = A[i-1] + A[i+1];";
  CHECK(PathOfTile(one) == 75);
  CHECK(PathOfTile(one + "[2:N-3] : C[i] = A[i+1] - A[i-1];") == 75);
  // The second reads what the first made, beyond another barrier.
  CHECK(PathOfTile(one + "[4:N-5] : C[i] = B[i+1] - B[i-1];") == 150);
  // It adds its own sum to the first one's result.
  CHECK(PathOfTile(one + "[2:N-3] : B[i] += A[i-1] - A[i+1];") == 80);
}

}  // namespace
}  // namespace stencilgen
