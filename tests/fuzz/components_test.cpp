// Statements that write components of one array: they become arrays of their own where all uses say
// which one they mean, else they share nests where none needs what another one writes at other
// points; and mean the same.
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "frontend/read_program.h"
#include "graph/interpret.h"
#include "graph/verify.h"
#include "passes/split_components.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/graph_of_text.h"
#include "support/match.h"
#include "support/prng.h"
#include "support/program_run.h"
#include "support/temporary_directory.h"

namespace stencilgen::testing {
namespace {

/// What statements of a program may be.
struct Style {
  bool all = false;     ///< some take all components
  bool local = false;   ///< there is an array `t` of the stencil
  bool volume = false;  ///< in three dimensions
};

/// `u[1][j][i+1]`, or of a plain array `w[j][i+1]`. `all`: components may be those of the point.
std::string Element(Prng* prng, bool own, bool all, bool volume) {
  const auto at = [&](const char* iterator) {
    const int offset = own || prng->Percent(60) ? 0 : prng->Range(-1, 1);
    return offset == 0 ? std::string(iterator) : fmt::format("{}{:+}", iterator, offset);
  };
  const std::string plane = volume ? fmt::format("[{}]", at("k")) : "";
  const std::string place = fmt::format("{}[{}][{}]", plane, at("j"), at("i"));
  if (prng->Percent(15)) return "w" + place;
  std::string component = std::to_string(prng->Below(3));
  if (all && prng->Percent(70)) component = prng->Percent(70) ? "c" : "2-c";
  return fmt::format("{}[{}]{}", prng->Percent(50) ? "u" : "v", component, place);
}

std::string Statement(Prng* prng, const Style& style) {
  const bool all = style.all && prng->Percent(35);
  std::string sum = all && prng->Percent(50) ? "0.1*c" : "0.1";
  for (int k = 0; k < prng->Range(1, 3); ++k) {
    sum += " + 0.3*" + Element(prng, prng->Percent(50), all, style.volume);
  }
  const char* const point = style.volume ? "[k][j][i]" : "[j][i]";
  if (style.local && prng->Percent(40)) sum += fmt::format(" + 0.2*t[{}]{}", prng->Below(2), point);
  if (all) return fmt::format("  {}[c]{} = {};\n", prng->Percent(50) ? "u" : "v", point, sum);
  std::string to = fmt::format("{}[{}]", prng->Percent(50) ? "u" : "v", prng->Below(3));
  if (prng->Percent(15)) to = "w";
  if (style.local && prng->Percent(20)) to = fmt::format("t[{}]", prng->Below(2));
  return fmt::format("  {}{} {} {};\n", to, point, prng->Percent(20) ? "+=" : "=", sum);
}

TestProgram RandomComponents(Prng* prng, int number) {
  TestProgram program;
  program.name = fmt::format("components_{}", number);
  // Many components stay together.
  const bool together = prng->Percent(30);
  const Style style = {!together && prng->Percent(50), prng->Percent(30), prng->Percent(30)};
  const char* const space = style.volume ? "L,M,N" : "M,N";
  program.text = fmt::format(
      "parameter {0}, T;\niterator c, {1}j, i;\ndouble u[{2},{0}], v[{2},{0}], w[{0}];\n"
      "copyin u, v, w;\n",
      space, style.volume ? "k, " : "", together ? 65 : 3);
  const bool modes = prng->Percent(40);
  if (modes)
    program.text += fmt::format(
        "boundary u = [none, {0}clamp, wrap], v = [none, {0}wrap, mirror], w = clamp;\n",
        style.volume ? "clamp, " : "");
  program.text += "stencil f (u, v, w) {\n";
  if (style.local) {
    program.text += fmt::format("  double t[2,{0}];\n  t[0]{1} = 0.4*w{1};\n  t[1]{1} = 0.3;\n",
                                space, style.volume ? "[k][j][i]" : "[j][i]");
  }
  for (int k = 0; k < prng->Range(3, 6); ++k) program.text += Statement(prng, style);
  program.text += "}\n";
  const bool sums = !style.volume && prng->Percent(30);
  if (sums) {
    program.text += fmt::format(
        "double s;\nstencil g (s, v) {{ s = {}; }}\nstencil h (w, s) {{ w[j][i] += s; }}\n",
        prng->Percent(50) ? "sum(0.1*v[c][j][i])" : "max(fabs(v[2-c][j][i]) + 0.1*c)");
  }
  const std::string call = "f (u, v, w);";
  const std::string swap = prng->Percent(40) ? " swap u, v;" : "";
  program.text +=
      prng->Percent(60) ? fmt::format("iterate T {{ {}{} }}\n", call, swap) : call + "\n";
  if (sums) program.text += "g (s, v);\nh (w, s);\n";
  program.text += "copyout u, v, w;\n";
  for (int run = 0; run < 2; ++run) {
    program.sizes.push_back(
        {{"M", prng->Range(3, 17)}, {"N", prng->Range(3, 19)}, {"T", prng->Range(1, 4)}});
    if (style.volume) program.sizes.back()["L"] = prng->Range(1, 7);
  }
  program.schedule.shared_memory = prng->Percent(70);
  program.schedule.fusion = plan::Fusion::Max;
  program.schedule.block = {8, 2, 1};
  return program;
}

/// The elements of the parts among those of the whole array.
graph::Values PartOf(const graph::Values& whole, const graph::Component& component) {
  std::int64_t count = 1;
  for (const std::int64_t each : component.counts) count *= each;
  return Match(whole, [&](const auto& elements) -> graph::Values {
    const auto size = static_cast<std::ptrdiff_t>(elements.size()) / count;
    const auto first = elements.begin() + component.number * size;
    return std::decay_t<decltype(elements)>(first, first + size);
  });
}

/// As the front end builds it, statements along four iterators as they are.
graph::Graph BuiltGraph(const TestProgram& program) {
  const SourceFile source("components.idsl", program.text);
  DiagnosticSink sink;
  const auto read = ReadProgram(source, sink);
  REQUIRE(read.has_value());
  auto graph = read->build({program.name, {}, {}}, sink);
  REQUIRE(graph.has_value());
  return *std::move(graph);
}

/// Runs both graphs with the same inputs. Empty: outputs are the same, bit for bit.
std::string Difference(const graph::Graph& graph, const graph::Graph& split,
                       const TestProgram& program) {
  constexpr std::uint64_t kSeed = 5;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    const ProgramRun want = PrepareRun(graph, program, run, kSeed);
    std::map<std::string, graph::Values> inputs, outputs;
    for (const RunObject& array : want.arrays) {
      inputs[array.name] = ValuesOf(array);
      if (array.output < 0) continue;
      outputs[array.name] = want.reference.outputs[static_cast<std::size_t>(array.output)];
    }
    for (const graph::Array& array : split.arrays) {
      if (!array.component) continue;
      inputs[array.name] = PartOf(inputs.at(array.component->whole), *array.component);
      outputs[array.name] = PartOf(outputs.at(array.component->whole), *array.component);
    }
    const graph::InterpretResult got = graph::Interpret(split, want.parameters, inputs);
    if (!got.error.empty()) return got.error;
    for (std::size_t k = 0; k < split.outputs.size(); ++k) {
      const std::string& name = split.arrays[split.outputs[k].array].name;
      if (ToBytes(got.outputs[k]) != ToBytes(outputs.at(name))) return name + " differs";
    }
  }
  return "";
}

/// Kernels of the plan for a CPU.
std::size_t CountNests(const std::string& text) {
  driver::PipelineOptions options;
  options.target = driver::Target::Cpp;
  options.choose = true;
  return driver::CompileToPlan(GraphOf(text, options), options).kernels.size();
}

/// Components stay together: there are too many.
std::string Program(const std::string& statements) {
  return "parameter M, N;\niterator j, i;\ndouble u[M,N], v[65,M,N], w[M,N];\ncopyin u, v;\n"
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
  DifferentialOptions compiled;
  compiled.directory = directory.path();
  programs.resize(kPrograms / 20);
  CHECK(Describe(RunDifferential(programs, compiled)) == "");
}

TEST_CASE("random programs mean the same when their components are arrays") {
  constexpr int kPrograms = 1000;
  Prng prng(20261129);
  int split = 0;
  for (int n = 0; n < kPrograms; ++n) {
    const TestProgram program = RandomComponents(&prng, n);
    const graph::Graph graph = GraphOf(program.text, OptionsOf(program));
    const graph::Graph parts = passes::SplitComponents(graph);
    split += parts.arrays.size() > graph.arrays.size() ? 1 : 0;
    INFO(program.text);
    REQUIRE(Difference(BuiltGraph(program), graph, program) == "");
    REQUIRE(graph::Verify(parts) == std::vector<std::string>());
    REQUIRE(Difference(graph, parts, program) == "");
  }
  CHECK(split > kPrograms / 2);
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
