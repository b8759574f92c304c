#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "choose/choose_nests.h"
#include "driver/pipeline.h"
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

}  // namespace
}  // namespace stencilgen::testing
