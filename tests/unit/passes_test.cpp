#include "driver/pipeline.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "passes/simplify_boundaries.h"
#include "passes/use_reciprocals.h"
#include "support/catch.h"

namespace stencilgen {
namespace {

graph::Graph GraphOf(const std::string& text) {
  const SourceFile source("test.idsl", text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, {}, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  return *std::move(graph);
}

/// The text of the first operator's right side.
std::string FirstValue(const graph::Graph& graph) {
  const auto& op = std::get<graph::Operator>(graph.nodes[graph.regions[graph.root].nodes[0]]);
  return graph::PrintExpr(graph, op, op.value);
}

TEST_CASE("UseReciprocals turns floating divisions by literals into products") {
  graph::Graph graph = passes::UseReciprocals(
      GraphOf("parameter N=8; iterator i; double u[N], v[N]; int n[N]; copyin u, v, n;"
              "stencil s (A, B, C) { B[i] = A[i]/4.0 + A[i]/B[i] + C[i]/4; }"
              "s (u, v, n); copyout v;"));
  CHECK(graph::Verify(graph).empty());
  CHECK(FirstValue(graph) == "u.0[i]*0.25 + u.0[i]/v.0[i] + double(n.0[i]/4)");
}

TEST_CASE("UseReciprocals leaves a divisor whose reciprocal is not normal") {
  const graph::Graph graph = passes::UseReciprocals(
      GraphOf("parameter N=8; iterator i; float u[N]; copyin u;"
              "stencil s (A) { A[i] = A[i]/0.0 + A[i]/1e-40; } s (u); copyout u;"));
  CHECK(FirstValue(graph) == "u.0[i]/0.0f + u.0[i]/1e-40f");
}

TEST_CASE("SimplifyBoundaries keeps only the modes that can apply") {
  const graph::Graph graph = GraphOf(
      "parameter M=8, N=8; iterator j, i; double u[M,N], v[M,N]; copyin u, v;"
      "boundary u = clamp;"
      "stencil s (A, B) { B[j][i] = A[j][i] + A[j-1][i] + A[j][i+1]; }"
      "[1:M-1][0:N-2] : s (u, v); copyout v;");
  CHECK(FirstValue(graph) == "u.0[j][i] + u.0[j - 1][i] + u.0[j][i + 1]");
  const graph::Graph open = GraphOf(
      "parameter M=8, N=8; iterator j, i; double u[M,N], v[M,N]; copyin u, v;"
      "boundary u = clamp;"
      "stencil s (A, B) { B[j][i] = A[j][i] + A[j-1][i+1]; }"
      "s (u, v); copyout v;");
  CHECK(FirstValue(open) == "u.0[j][i] + u.0[clamp: j - 1][clamp: i + 1]");
}

TEST_CASE("FlopsPerPoint leaves out what is evaluated once") {
  const graph::Graph graph = GraphOf(
      "parameter N=8; iterator i; double u[N], a; copyin u;"
      "stencil s (A, x) { double c = x*x + 1.0, y; y = c*A[i]; A[i] = y + y/c; }"
      "s (u, a); copyout u;");
  const auto& op = std::get<graph::Operator>(graph.nodes[graph.regions[graph.root].nodes[0]]);
  CHECK(graph::FlopsPerPoint(graph, op) == 3);
}

}  // namespace
}  // namespace stencilgen
