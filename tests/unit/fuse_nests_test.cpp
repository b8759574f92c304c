#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "choose/choose_nests.h"
#include "driver/pipeline.h"
#include "graph/nodes.h"
#include "support/catch.h"
#include "support/suite.h"

// How many loop nests programs of several statements have on the C++ target.
namespace stencilgen::testing {
namespace {

std::size_t Nests(const std::string& text, driver::PipelineOptions options = {}) {
  const SourceFile source("program.idsl", text);
  DiagnosticSink sink;
  options.target = driver::Target::Cpp;
  options.nests.choose_points = true;
  auto graph = driver::CompileToGraph(source, options, sink);
  REQUIRE(graph.has_value());
  return driver::CompileToPlan(*std::move(graph), options).kernels.size();
}

std::size_t Nests(const std::string& text, plan::Fusion fusion) {
  driver::PipelineOptions options;
  options.given.fusion = true;
  options.schedule.fusion = fusion;
  return Nests(text, options);
}

TEST_CASE("statements share nests where that was measured to be faster") {
  struct Counts {
    const char* name;
    std::size_t none, chosen, max;
  };
  const std::vector<Counts> expected = {
      // What statements share is read once.
      {"clover2d-accelerate", 4, 1, 1},
      {"clover2d-pdv", 2, 1, 1},
      {"rhs4center", 3, 1, 1},
      {"swim", 10, 2, 2},
      // What a point makes for itself stays there; sums that share nothing are apart.
      {"miniflux", 45, 18, 6},
      // Too many rows at once.
      {"diffterm", 13, 13, 4},
      // Vectors gain more.
      {"hypterm", 15, 14, 1},
      {"clover2d-advec-cell", 5, 4, 3},
  };
  for (const Counts& each : expected) {
    INFO(each.name);
    const std::string text = BenchmarkNamed(each.name).text;
    CHECK(Nests(text, plan::Fusion::None) == each.none);
    CHECK(Nests(text) == each.chosen);
    CHECK(Nests(text, plan::Fusion::Greedy) == each.chosen);
    CHECK(Nests(text, plan::Fusion::Max) == each.max);
  }
}

TEST_CASE("a thousand statements are cut into nests of a few") {
  constexpr int kStatements = 1000;
  std::string names = "a0[N]";
  std::string statements = "a0[i] = u[i];\n";
  for (int k = 1; k <= kStatements; ++k) {
    names += fmt::format(", a{}[N]", k);
    statements += fmt::format("  a{}[i] = 0.5*a{}[i] + u[i]/3.0;\n", k, k - 1);
  }
  const std::string text = fmt::format(
      "parameter N=100;\niterator i;\ndouble u[N], v[N];\ncopyin u;\nstencil s (u, v) {{\n"
      "  double {};\n  {}  v[i] = a{}[i];\n}}\ns (u, v);\ncopyout v;\n",
      names, statements, kStatements);
  const std::size_t nests = Nests(text);
  CHECK(nests == Nests(text, plan::Fusion::Max));
  CHECK(nests > kStatements / 30);
  CHECK(nests < kStatements / 20);
}

/// What each kernel of the program computes: the arrays of its results.
std::vector<std::string> KernelsOf(const std::string& text) {
  const SourceFile source("program.idsl", text);
  DiagnosticSink sink;
  driver::PipelineOptions options;
  options.target = driver::Target::Cpp;
  auto graph = driver::CompileToGraph(source, options, sink);
  REQUIRE(graph.has_value());
  const plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  std::vector<std::string> kernels;
  for (const plan::Kernel& kernel : plan.kernels) {
    std::vector<std::string> results;
    for (const graph::NodeId node : kernel.ops) {
      const graph::VersionId result = graph::OperatorOf(plan.graph, node).result;
      results.push_back(plan.graph.arrays[plan.graph.versions[result].array].name);
    }
    kernels.push_back(fmt::format("{}", fmt::join(results, " ")));
  }
  return kernels;
}

using Names = std::vector<std::string>;

TEST_CASE("a reduction is in the nest that makes its operand") {
  const std::string head =
      "parameter M=2000, N=2000, T=9;\niterator j, i;\ndouble u[M,N], v[M,N], w[M,N], s, r;\n"
      "copyin u, w;\nboundary u = clamp;\n"
      "stencil step (v, u) { v[j][i] = 0.5*(u[j][i-1] + u[j][i+1]); }\n"
      "stencil add (s, v, w) { s = sum(v[j][i]*w[j][i]); }\n"
      "stencil most (r, v) { r = max(v[j][i]); }\n"
      "stencil other (w, s) { w[j][i] = w[j][i]*s; }\n";
  // Both, though a statement is between them, and what the first makes is used before the second.
  CHECK(KernelsOf(head + "step (v, u);\nadd (s, v, w);\nother (w, s);\nmost (r, v);\n"
                         "copyout v, w, s, r;\n") ==
        Names{"v s_lanes r_lanes", "s_lanes_2", "s", "w", "r_lanes_2", "r"});
  // Of other points.
  CHECK(KernelsOf(head + "step (v, u);\n[1:M-2][0:N-1] : most (r, v);\ncopyout v, r;\n") ==
        Names{"v", "r_lanes", "r_lanes_2", "r"});
  // What is looked at in some turns is not computed in all of them.
  CHECK(KernelsOf(head + "iterate T until r < 0.1 every 3 { step (v, u); most (r, v); "
                         "swap u, v; }\ncopyout u;\n") == Names{"v", "r_lanes", "r_lanes_2", "r"});
  CHECK(KernelsOf(head + "iterate T { step (v, u); most (r, v); swap u, v; }\ncopyout u, r;\n") ==
        Names{"v r_lanes", "r_lanes_2", "r"});
}

}  // namespace
}  // namespace stencilgen::testing
