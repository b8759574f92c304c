// Statements that write components of one array: they share nests where none needs what another one
// writes at other points, and mean the same.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/prng.h"
#include "support/temporary_directory.h"

namespace stencilgen::testing {
namespace {

/// `u[1][j][i+1]`, or of a plain array `w[j][i+1]`.
std::string Element(Prng* prng, bool own) {
  const auto at = [&](const char* iterator) {
    const int offset = own || prng->Percent(60) ? 0 : prng->Range(-1, 1);
    return offset == 0 ? std::string(iterator) : fmt::format("{}{:+}", iterator, offset);
  };
  const std::string place = fmt::format("[{}][{}]", at("j"), at("i"));
  if (prng->Percent(15)) return "w" + place;
  return fmt::format("{}[{}]{}", prng->Percent(50) ? "u" : "v", prng->Below(3), place);
}

std::string Statement(Prng* prng) {
  std::string sum = "0.1";
  for (int k = 0; k < prng->Range(1, 3); ++k) sum += " + 0.3*" + Element(prng, prng->Percent(50));
  const std::string to = prng->Percent(15)
                             ? std::string("w")
                             : fmt::format("{}[{}]", prng->Percent(50) ? "u" : "v", prng->Below(3));
  return fmt::format("  {}[j][i] {} {};\n", to, prng->Percent(20) ? "+=" : "=", sum);
}

TestProgram RandomComponents(Prng* prng, int number) {
  TestProgram program;
  program.name = fmt::format("components_{}", number);
  program.text =
      "parameter M, N, T;\niterator j, i;\ndouble u[3,M,N], v[3,M,N], w[M,N];\n"
      "copyin u, v, w;\n";
  const bool modes = prng->Percent(40);
  if (modes)
    program.text += "boundary u = [none, clamp, wrap], v = [none, wrap, mirror], w = clamp;\n";
  program.text += "stencil f (u, v, w) {\n";
  for (int k = 0; k < prng->Range(3, 6); ++k) program.text += Statement(prng);
  program.text += "}\n";
  const std::string call = "f (u, v, w);";
  const std::string swap = prng->Percent(40) ? " swap u, v;" : "";
  program.text +=
      prng->Percent(60) ? fmt::format("iterate T {{ {}{} }}\n", call, swap) : call + "\n";
  program.text += "copyout u, v, w;\n";
  for (int run = 0; run < 2; ++run) {
    program.sizes.push_back(
        {{"M", prng->Range(3, 17)}, {"N", prng->Range(3, 19)}, {"T", prng->Range(1, 4)}});
  }
  program.schedule.shared_memory = prng->Percent(70);
  program.schedule.fusion = plan::Fusion::Max;
  program.schedule.block = {8, 2, 1};
  return program;
}

/// Kernels of the plan for a CPU.
std::size_t CountNests(const std::string& text) {
  const SourceFile source("components.idsl", text);
  DiagnosticSink sink;
  driver::PipelineOptions options;
  options.target = driver::Target::Cpp;
  options.choose = true;
  auto graph = driver::CompileToGraph(source, options, sink);
  REQUIRE(graph.has_value());
  return driver::CompileToPlan(*std::move(graph), options).kernels.size();
}

std::string Program(const std::string& statements) {
  return "parameter M, N;\niterator j, i;\ndouble u[M,N], v[2,M,N], w[M,N];\ncopyin u, v;\n"
         "copyout v, w;\nstencil f (w, v, u) {\n" +
         statements + "}\nf (w, v, u);\n";
}

}  // namespace

TEST_CASE("random statements on components are exact") {
  constexpr int kPrograms = 400;
  Prng prng(77);
  std::vector<TestProgram> programs;
  for (int n = 0; n < kPrograms; ++n) programs.push_back(RandomComponents(&prng, n));
  const TemporaryDirectory directory;
  for (const char* variant : {"cpp-strict", "cuda-strict"}) {
    DifferentialOptions options;
    options.directory = directory.path();
    options.only = variant;
    options.execute = true;
    CHECK(Describe(RunDifferential(programs, options)) == "");
  }
}

TEST_CASE("components share a nest where none needs another at other points") {
  const std::string both = "double e = exp(u[j][i-1]*u[j][i+1]);\n";
  CHECK(CountNests(Program(both + "v[0][j][i] = e + u[j][i];\nv[1][j][i] = e - u[j][i];\n")) == 1);
  CHECK(CountNests(Program("v[0][j][i] = v[0][j][i] + v[1][j][i];\n"
                           "v[1][j][i] = u[j][i];\nw[j][i] = v[1][j][i];\n")) == 1);
  // The other component of the neighbour may have been written by then.
  CHECK(CountNests(Program("v[0][j][i] = v[1][j][i+1];\nv[1][j][i] = u[j][i];\n")) == 2);
  CHECK(CountNests(Program("v[0][j][i] = u[j][i];\nv[1][j][i] = v[0][j][i-1];\n")) == 2);
}

}  // namespace stencilgen::testing
