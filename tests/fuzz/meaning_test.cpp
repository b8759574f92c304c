// Semantic analysis, the graph and its interpreter against a second, direct reading of the language
// that works on the syntax tree.
#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <string>

#include "driver/pipeline.h"
#include "frontend/parse.h"
#include "graph/interpret.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "sema/expand_complex.h"
#include "support/catch.h"
#include "support/direct_meaning.h"
#include "support/program_generator.h"
#include "support/program_run.h"

namespace stencilgen::testing {
namespace {

std::map<std::string, graph::Values> InputsOf(const ProgramRun& run) {
  std::map<std::string, graph::Values> inputs;
  for (const RunObject& array : run.arrays) {
    if (array.copy_in) inputs[array.name] = ValuesOf(array);
  }
  for (const RunObject& scalar : run.scalars) inputs[scalar.name] = ValuesOf(scalar);
  return inputs;
}

DirectState InitialState(const ProgramRun& run) {
  DirectState state;
  for (const auto* objects : {&run.arrays, &run.scalars}) {
    for (const RunObject& object : *objects) {
      DirectArray array;
      array.type = object.type;
      array.format = object.format;
      array.shape = object.shape;
      const graph::Values values = ValuesOf(object);
      for (std::size_t i = 0; i < object.count(); ++i) {
        array.values.push_back(graph::ElementAsDouble(values, i));
      }
      array.defined.assign(object.count(), object.copy_in || object.shape.empty() ? 1 : 0);
      state[object.name] = std::move(array);
    }
  }
  return state;
}

/// What differs, empty where nothing does.
std::string CompareOutput(const RunObject& object, const DirectArray& direct,
                          const graph::InterpretResult& reference) {
  const auto output = static_cast<std::size_t>(object.output);
  double error = 0;
  double size = 0;
  double worst = 0;
  std::string where;
  for (std::size_t i = 0; i < object.count(); ++i) {
    const bool defined = reference.defined[output][i] != 0;
    if (defined != (direct.defined[i] != 0)) {
      return fmt::format("{}[{}] is {} by the graph", object.name, i,
                         defined ? "defined" : "undefined");
    }
    if (!defined) continue;
    const double value = graph::ElementAsDouble(reference.outputs[output], i);
    if (std::isnan(value) && std::isnan(direct.values[i])) continue;
    if (!IsFloating(object.type) && value != direct.values[i]) {
      return fmt::format("{}[{}]: {} by the graph, {} directly", object.name, i, value,
                         direct.values[i]);
    }
    if (std::fabs(value - direct.values[i]) > worst) {
      worst = std::fabs(value - direct.values[i]);
      where = fmt::format("[{}]: {} by the graph, {} directly", i, value, direct.values[i]);
    }
    error += (value - direct.values[i]) * (value - direct.values[i]);
    size += direct.values[i] * direct.values[i];
  }
  const double relative = std::sqrt(error / (size > 0 ? size : 1));
  if (!(relative < 1e-12))
    return fmt::format("{}: relative error {}, {}", object.name, relative, where);
  return "";
}

std::string CheckProgram(const TestProgram& program) {
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  const auto ast = Parse(source, sink);
  driver::PipelineOptions options;
  auto graph = driver::CompileToGraph(source, options, sink);
  // Those with complex numbers are the syntax of what sema makes of them; complex_test checks that.
  if (ast && sema::HasComplex(*ast)) return "";
  if (!ast || !graph) return RenderText(source, sink.diagnostics(), 0, false);
  const std::vector<std::string> broken = graph::Verify(*graph);
  if (!broken.empty()) return fmt::format("{}\n{}", broken[0], graph::Print(*graph));
  for (std::size_t r = 0; r < program.sizes.size(); ++r) {
    const ProgramRun run = PrepareRun(*graph, program, r, 7);
    const graph::InterpretResult reference = graph::Interpret(
        *graph, run.parameters, InputsOf(run), {.precision = graph::Precision::Double});
    if (!reference.error.empty()) return reference.error;
    DirectState state = InitialState(run);
    std::map<std::string, std::int64_t> parameters;
    for (std::size_t p = 0; p < run.parameters.size(); ++p) {
      parameters[graph::ParameterNames(*graph)[p]] = run.parameters[p];
    }
    EvaluateDirectly(*ast, parameters, state);
    for (const RunObject& array : run.arrays) {
      if (array.output < 0) continue;
      const std::string difference = CompareOutput(array, state.at(array.name), reference);
      if (!difference.empty()) {
        std::string sizes;
        for (const auto& [name, value] : parameters) sizes += fmt::format(" {}={}", name, value);
        return fmt::format("run {} ({} ): {}", r, sizes, difference);
      }
    }
  }
  return "";
}

TEST_CASE("the graph means what the syntax tree means") {
  constexpr std::uint64_t kFirstSeed = 500000;
  constexpr int kPrograms = 150;
  int checked = 0;
  for (std::uint64_t seed = kFirstSeed; checked < kPrograms; ++seed) {
    const TestProgram program = GenerateProgram(seed);
    if (!program.continuous) continue;
    ++checked;
    const std::string difference = CheckProgram(program);
    INFO("seed " << seed << "\n" << program.text << "\n" << difference);
    REQUIRE(difference.empty());
  }
}

/// Rounding errors do not decide these: values are not so near to what they are compared with.
TEST_CASE("loops that end by scalars mean in the graph what they mean in the syntax tree") {
  constexpr std::uint64_t kFirstSeed = 530000;
  constexpr int kPrograms = 60;
  int checked = 0;
  for (std::uint64_t seed = kFirstSeed; checked < kPrograms; ++seed) {
    const TestProgram program = GenerateProgram(seed);
    if (program.text.find(" until s") == std::string::npos) continue;
    ++checked;
    const std::string difference = CheckProgram(program);
    INFO("seed " << seed << "\n" << program.text << "\n" << difference);
    REQUIRE(difference.empty());
  }
}

/// Checks so many random programs whose text has the pattern.
void CheckPrograms(std::uint64_t first_seed, int programs, const std::regex& pattern) {
  int checked = 0;
  for (std::uint64_t seed = first_seed; checked < programs; ++seed) {
    const TestProgram program = GenerateProgram(seed);
    if (!program.continuous || !std::regex_search(program.text, pattern)) continue;
    ++checked;
    const std::string difference = CheckProgram(program);
    INFO("seed " << seed << "\n" << program.text << "\n" << difference);
    REQUIRE(difference.empty());
  }
}

TEST_CASE("parts of loops that run every few turns mean what the syntax tree means") {
  CheckPrograms(560000, 80, std::regex(" every [0-9] : "));
}

TEST_CASE("indices that are values mean what the syntax tree means") {
  CheckPrograms(570000, 80, std::regex(R"(\[[^\]]*[a-zA-Z][0-9]?\[)"));
}

TEST_CASE("arrays with a component in front mean what the syntax tree means") {
  CheckPrograms(580000, 40, std::regex("v0\\["));
}

TEST_CASE("turns divided by how often a part runs are rows of its own") {
  TestProgram program;
  program.name = "snapshots.idsl";
  program.text =
      "parameter M, T, S; iterator i; double u[M], v[M], film[S,M], late[S,M], twice[S];"
      "copyin u, v, film, late, twice;"
      "stencil step (v, u) { v[i] = 0.5*(u[i-1] + u[i+1]) + 0.1*t; }"
      "stencil shoot (film, u) { film[t/6][i] = u[i]; }"
      "stencil keep (late, u) { late[(t+3)/6][i] = u[i]; }"
      "stencil count (twice) { twice[t/2] = t/2 + 0.5; }"
      "iterate t : T { every 6 : { keep (late, u); count (twice); } step (v, u);"
      "  every 6 : shoot (film, v); swap u, v; } copyout film, late, twice, u;";
  for (const int turns : {1, 5, 6, 7, 12, 17, 18, 40}) {
    program.sizes.push_back({{"M", 9}, {"T", turns}, {"S", 4}});
  }
  CHECK(CheckProgram(program).empty());
}

TEST_CASE("a loop with fewer turns than its parts wait for never runs them") {
  TestProgram program;
  program.name = "short.idsl";
  program.text =
      "parameter M; iterator i; double u[M], v[M], pulse[2], kept[M]; copyin u, v, pulse, kept;"
      "iterate t : 2 { v[i] = u[i] + pulse[t]; swap u, v; every 3 : kept[i] = u[i]; }"
      "iterate 0 { every 2 : kept[i] = u[i]; } copyout u, v, kept;";
  program.sizes.push_back({{"M", 9}});
  CHECK(CheckProgram(program).empty());
}

}  // namespace
}  // namespace stencilgen::testing
