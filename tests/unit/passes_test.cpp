#include <cmath>
#include <map>

#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "passes/fold_scale.h"
#include "passes/merge_terms.h"
#include "passes/simplify_boundaries.h"
#include "passes/use_reciprocals.h"
#include "support/catch.h"
#include "support/graph_of_text.h"

namespace stencilgen {
namespace {

using testing::GraphOf;

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

const graph::Operator& FirstOperator(const graph::Graph& graph) {
  return std::get<graph::Operator>(graph.nodes[graph.regions[graph.root].nodes[0]]);
}

/// The first operator's right side after the pass, of the statement `B[i] = text`: it has fewer
/// flops, or is what it was.
std::string After(graph::Graph (*pass)(graph::Graph), const std::string& text,
                  const std::string& type) {
  const graph::Graph graph = GraphOf("parameter N=8; iterator i; " + type +
                                     " u[N], v[N], c; copyin u, v, c; stencil s (A, B, c) { "
                                     "[2:N-3] : B[i] = " +
                                     text + "; } s (u, v, c); copyout v;");
  const graph::Graph changed = pass(graph);
  CHECK(graph::Verify(changed).empty());
  const auto before = graph::FlopsPerPoint(graph, FirstOperator(graph));
  const auto after = graph::FlopsPerPoint(changed, FirstOperator(changed));
  const bool same = FirstValue(graph) == FirstValue(changed);
  CHECK((same ? after == before : after < before));
  return FirstValue(changed);
}
std::string Folded(const std::string& text, const std::string& type = "double") {
  return After(passes::FoldScale, text, type);
}
std::string Merged(const std::string& text, const std::string& type = "double") {
  return After(passes::MergeTerms, text, type);
}

/// Over 50 elements, of `u` in and `v` out.
void CheckRoundingAlone(const graph::Graph& before, const graph::Graph& after) {
  std::vector<double> u;
  for (int n = 0; n < 50; ++n) u.push_back(1.0 + 0.37 * n - 0.006 * n * n);
  const std::map<std::string, graph::Values> inputs = {{"u", u}};
  const auto want = graph::Interpret(before, {50}, inputs);
  const auto got = graph::Interpret(after, {50}, inputs);
  REQUIRE(want.error.empty());
  REQUIRE(got.error.empty());
  for (std::size_t n = 1; n + 1 < 50; ++n) {
    const double expected = graph::ElementAsDouble(want.outputs[0], n);
    CHECK(std::abs(graph::ElementAsDouble(got.outputs[0], n) - expected) <=
          1e-14 * (1 + std::abs(expected)));
  }
}

TEST_CASE("FoldScale puts the factor of a sum into the coefficients of its terms") {
  CHECK(Folded("(5.0*A[i-1] + 12.0*A[i] - A[i+1]*2.0)*0.5") ==
        "2.5*u.0[i - 1] + 6.0*u.0[i] - u.0[i + 1]*1.0");
  CHECK(Folded("0.25*(8.0*(A[i-1] + A[i+1]) + 4.0)") == "2.0*(u.0[i - 1] + u.0[i + 1]) + 1.0");
  CHECK(Folded("c*(2.0*A[i] - 4.0*c*A[i+1]*A[i])*0.5") ==
        "c.0*(1.0*u.0[i] - 2.0*c.0*u.0[i + 1]*u.0[i])");
  CHECK(Folded("(-(2.0*A[i]) + A[i+1]*(3.0*A[i-1]))*2.0") ==
        "-(4.0*u.0[i]) + u.0[i + 1]*(6.0*u.0[i - 1])");
  // Scales of scales.
  CHECK(Folded("((2.0*A[i] + 4.0*A[i-1])*0.5 + 6.0*A[i+1])*0.5") ==
        "0.5*u.0[i] + 1.0*u.0[i - 1] + 3.0*u.0[i + 1]");
}

TEST_CASE("FoldScale leaves sums with a term that would gain a multiplication") {
  const std::vector<std::string> kept = {
      "(5.0*u.0[i - 1] + u.0[i])*0.5", "(5.0*u.0[i - 1] + sqrt(2.0*u.0[i]))*0.5",
      "(5.0*u.0[i - 1] + 4.0/u.0[i])*0.5", "(5.0*u.0[i - 1] + u.0[i]*u.0[i])*0.5", "u.0[i]*0.5"};
  CHECK(Folded("(5.0*A[i-1] + A[i])*0.5") == kept[0]);
  CHECK(Folded("(5.0*A[i-1] + sqrt(2.0*A[i]))*0.5") == kept[1]);
  CHECK(Folded("(5.0*A[i-1] + 4.0/A[i])*0.5") == kept[2]);
  CHECK(Folded("(5.0*A[i-1] + A[i]*A[i])*0.5") == kept[3]);
  CHECK(Folded("A[i]*0.5") == kept[4]);
}

TEST_CASE("FoldScale leaves coefficients that the type cannot hold") {
  CHECK(Folded("(5e-30*A[i-1] + 2.0*A[i])*1e-20", "float") ==
        "(5e-30f*u.0[i - 1] + 2.0f*u.0[i])*1e-20f");
  CHECK(Folded("(5e30*A[i-1] + 2.0*A[i])*1e20", "float") ==
        "(5e+30f*u.0[i - 1] + 2.0f*u.0[i])*1e+20f");
  CHECK(Folded("(5e30*A[i-1] + 2.0*A[i])*1e20", "int").find("u.0") != std::string::npos);
}

TEST_CASE("FoldScale changes a value by rounding alone") {
  const graph::Graph graph = GraphOf(
      "parameter N=50; iterator i; double u[N], v[N]; copyin u;"
      "stencil s (A, B) { double t; t = (3.0*A[i-1] - 7.0*A[i+1])*0.3;"
      "  [1:N-2] : B[i] = (5.0*A[i-1] + 12.0*t + A[i]*(0.7*t - 0.1*A[i+1]))/118.0; }"
      "s (u, v); copyout v;");
  const graph::Graph reciprocal = passes::UseReciprocals(graph);
  const graph::Graph folded = passes::FoldScale(reciprocal);
  CHECK(graph::Verify(folded).empty());
  CHECK(graph::FlopsPerPoint(folded, FirstOperator(folded)) ==
        graph::FlopsPerPoint(graph, FirstOperator(graph)) - 2);
  CheckRoundingAlone(graph, folded);
}

TEST_CASE("MergeTerms adds up the coefficients of an element") {
  CHECK(Merged("A[i] + 0.125*(A[i+1] - 2.0*A[i] + A[i-1])") ==
        "0.75*u.0[i] + 0.125*(u.0[i + 1] + u.0[i - 1])");
  CHECK(Merged("0.125*(A[i+1] - 2.0*A[i] + A[i-1]) - 0.125*(A[i+2] - 2.0*A[i] + A[i-2])") ==
        "0.125*(u.0[i + 1] + u.0[i - 1] - u.0[i + 2] - u.0[i - 2])");
  CHECK(Merged("-(A[i] + 2.0*c) - 3.0*A[i] + 4.0 + 1.0") == "5.0 - 4.0*u.0[i] - 2.0*c.0");
  CHECK(Merged("-A[i] - A[i] - A[i]") == "-(3.0*u.0[i])");
  // Below other operations too; what stands there is a term of its own.
  CHECK(Merged("sqrt(A[i] + A[i]*2.0) + c*(A[i] + A[i] + A[i])") ==
        "sqrt(3.0*u.0[i]) + c.0*(3.0*u.0[i])");
}

TEST_CASE("MergeTerms takes out what scales sums with elements in common") {
  CHECK(Merged("A[i] + (c*(A[i+1] - 2.0*A[i]) + c*(A[i-1] - 2.0*A[i]))") ==
        "u.0[i] + c.0*(u.0[i + 1] + u.0[i - 1] - 4.0*u.0[i])");
  CHECK(Merged("(A[i+1] - A[i])*c - c*(A[i] - A[i-1])") ==
        "c.0*(u.0[i + 1] + u.0[i - 1] - 2.0*u.0[i])");
  CHECK(Merged("0.5*c*(A[i+1] - A[i]) + A[i] + 0.5*c*(A[i-1] - A[i])") ==
        "0.5*c.0*(u.0[i + 1] + u.0[i - 1] - 2.0*u.0[i]) + u.0[i]");
  CHECK(Merged("c*A[i] + A[i-1] + c*A[i]") == "c.0*(2.0*u.0[i]) + u.0[i - 1]");
  CHECK(Merged("c*(A[i+1] + A[i]) - c*(A[i+1] + A[i])", "float") ==
        "c.0*(u.0[i + 1] + u.0[i]) - c.0*(u.0[i + 1] + u.0[i])");
  // Each element once: a product of a sum has as many multiply-adds as a sum of products.
  CHECK(Merged("c*(A[i+1] - A[i]) + c*A[i-1]") == "c.0*(u.0[i + 1] - u.0[i]) + c.0*u.0[i - 1]");
  CHECK(Merged("c*(A[i+1] - A[i]) + A[i-1]*(A[i-2] - A[i])") ==
        "c.0*(u.0[i + 1] - u.0[i]) + u.0[i - 1]*(u.0[i - 2] - u.0[i])");
}

TEST_CASE("MergeTerms holds on to a sum's type while the graph's expressions move") {
  // Room for more expressions is made at some of these sizes; a sanitizer sees what is read then.
  for (std::size_t count = 1; count < 40; ++count) {
    std::string statements;
    for (std::size_t k = 0; k < count; ++k) {
      statements += "B[i] = A[i] + 0.125*(A[i+1] - 2.0*A[i] + A[i-1]);";
    }
    const graph::Graph graph = passes::MergeTerms(
        GraphOf("parameter N=8; iterator i; float u[N], v[N]; copyin u, v; stencil s (A, B) { " +
                statements + " } [1:N-2] : s (u, v); copyout v;"));
    CHECK(graph::Verify(graph).empty());
    CHECK(FirstValue(graph) == "0.75f*u.0[i] + 0.125f*(u.0[i + 1] + u.0[i - 1])");
  }
}

TEST_CASE("MergeTerms leaves sums in which nothing occurs twice, and what it cannot hold") {
  for (const char* text :
       {"0.5*(u.0[i - 1] + u.0[i]) + 0.25*u.0[i + 1]", "2.0*u.0[i]*c.0 + 3.0*u.0[i]",
        "u.0[i] + c.0*u.0[i]", "u.0[i] - u.0[i]", "1e+308*u.0[i] + 1e+308*u.0[i]"}) {
    std::string source = text;
    for (std::size_t at; (at = source.find("u.0")) != std::string::npos;)
      source.replace(at, 3, "A");
    for (std::size_t at; (at = source.find("c.0")) != std::string::npos;)
      source.replace(at, 3, "c");
    CHECK(Merged(source) == text);
  }
  CHECK(Merged("A[i] + A[i] + A[i-1]", "int") == "u.0[i] + u.0[i] + u.0[i - 1]");
}

TEST_CASE("MergeTerms changes a value by rounding alone") {
  const graph::Graph graph = GraphOf(
      "parameter N=50; iterator i; double u[N], v[N]; copyin u;"
      "stencil s (A, B) { double t; t = 0.3*(3.0*A[i-1] - 7.0*A[i+1]) + A[i-1];"
      "  [1:N-2] : B[i] = 0.2*(5.0*A[i-1] + 12.0*t) + t + A[i]*(0.7*t - 0.1*(A[i+1] - 2.0*t)); }"
      "s (u, v); copyout v;");
  const graph::Graph merged = passes::MergeTerms(graph);
  CHECK(graph::Verify(merged).empty());
  CHECK(graph::FlopsPerPoint(merged, FirstOperator(merged)) <
        graph::FlopsPerPoint(graph, FirstOperator(graph)));
  CheckRoundingAlone(graph, merged);
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

TEST_CASE("SimplifyBoundaries reads elements that exist of extrapolated arrays as they are") {
  const graph::Graph graph = GraphOf(
      "parameter M=8, N=8; iterator j, i; double u[M,N], v[M,N]; copyin u, v;"
      "boundary u = extrapolate;"
      "stencil s (A, B) { B[j][i] = A[j][i] + A[j-1][i] - (A[j][i] - (A[j][i] - A[j][i])); }"
      "s (u, v); copyout v;");
  // What the program itself subtracts stays.
  CHECK(FirstValue(graph) ==
        "u.0[j][i] + (u.0[clamp: j - 1][i] - (u.0[mirror101: j - 1][i] - u.0[clamp: j - 1][i])) - "
        "(u.0[j][i] - (u.0[j][i] - u.0[j][i]))");
}

TEST_CASE("FlopsPerPoint leaves out what lines beyond ends take, at corners too") {
  const auto flops = [](const std::string& mode) {
    const graph::Graph graph = GraphOf(
        "parameter M=8, N=8; iterator j, i; double u[M,N], v[M,N]; copyin u, v; boundary u = " +
        mode +
        "; stencil s (A, B) { B[j][i] = A[j-1][i-1] + 2.0*A[j][i-1]; } s (u, v); copyout v;");
    const auto& op = std::get<graph::Operator>(graph.nodes[graph.regions[graph.root].nodes[0]]);
    return graph::FlopsPerPoint(graph, op);
  };
  CHECK(flops("clamp") == 2);
  CHECK(flops("extrapolate") == 2);
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
