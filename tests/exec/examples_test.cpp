#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "driver/subprocess.h"
#include "graph/graph.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/program_run.h"
#include "support/suite.h"
#include "support/temporary_directory.h"

namespace {

using namespace stencilgen;
using namespace stencilgen::testing;

void CheckAgree(const std::vector<TestProgram>& programs) {
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  options.optimize = 1;
  options.warnings = true;
  const std::string failures = Describe(RunDifferential(programs, options));
  INFO(failures);
  CHECK(failures.empty());
}

TestProgram SmallRun(const Benchmark& benchmark, bool single) {
  TestProgram program;
  program.name = fmt::format("{}_{}", benchmark.Identifier(), single ? "float" : "double");
  program.text = single ? benchmark.SinglePrecisionText() : benchmark.text;
  program.sizes = {benchmark.small};
  program.lowest_input = benchmark.lowest_input;
  return program;
}

driver::PipelineOptions CudaOptions(const std::string& name) {
  driver::PipelineOptions options;
  options.program_name = name;
  options.target = driver::Target::Cuda;
  options.codegen.function = name;
  options.codegen.source_name = fmt::format("{}.idsl", name);
  return options;
}

}  // namespace

TEST_CASE("examples agree on every path") {
  const std::vector<TestProgram> examples = Examples();
  REQUIRE(examples.size() >= 10);
  CheckAgree(examples);
}

TEST_CASE("generated code of one dimension draws no warnings, and agrees on every path") {
  // Runge and Kutta's method of four stages, in tiles of several turns where they can be had.
  TestProgram advection;
  advection.name = "advection";
  advection.text =
      "parameter N, T; iterator i; double u[N], k1[N], k2[N], k3[N], w[N]; copyin u;"
      "boundary u = wrap, w = wrap;"
      "stencil first (k1, w, u) { k1[i] = u[i-1] - u[i+1]; w[i] = u[i] + 0.05*k1[i]; }"
      "stencil slope (k, w) { k[i] = w[i-1] - w[i+1]; }"
      "stencil shift (w, u, k) { w[i] = u[i] + 0.05*k[i]; }"
      "stencil last (u, k1, k2, k3, w) {"
      "  u[i] = u[i] + 0.01*(k1[i] + 2.0*k2[i] + 2.0*k3[i] + w[i-1] - w[i+1]); }"
      "iterate T { first (k1, w, u); slope (k2, w); shift (w, u, k2); slope (k3, w);"
      "  shift (w, u, k3); last (u, k1, k2, k3, w); } copyout u;";
  advection.sizes = {{{"N", 150}, {"T", 7}}, {{"N", 5}, {"T", 2}}};
  TestProgram heat;
  heat.name = "heat";
  heat.text =
      "parameter N, T; iterator i; double u[N]; copyin u;"
      "stencil heat (u) { u[i] += 0.25*(u[i-1] - 2.0*u[i] + u[i+1]); }"
      "iterate T { heat (u); } copyout u;";
  heat.sizes = advection.sizes;
  std::vector<TestProgram> programs = {advection, heat};
  for (const TestProgram& program : {advection, heat}) {
    programs.push_back(program);
    programs.back().name += "_tiles";
    programs.back().time_tile = 4;
    programs.back().schedule.block = {64, 1, 1};
    programs.back().schedule.shared_memory = true;
    programs.back().schedule.fusion = plan::Fusion::Max;
  }
  CheckAgree(programs);
}

TEST_CASE("a kernel of an array's first row is not given the length of rows") {
  TestProgram row;
  row.name = "row";
  row.text =
      "parameter M, N; iterator j, i; double u[M,N], v[M,N]; copyin u, v;"
      "stencil clear (v) { v[0][i] = 0.0; }"
      "stencil add (v, u) { v[j][i] += u[j][i]; }"
      "clear (v); [1:M-1, 0:N-1] : add (v, u); copyout v;";
  row.sizes = {{{"M", 5}, {"N", 70}}, {{"M", 1}, {"N", 1}}};
  CheckAgree({row});
}

TEST_CASE("suite A agrees on every path, in both precisions") {
  std::vector<TestProgram> programs;
  for (const Benchmark& benchmark : Benchmarks()) {
    if (benchmark.suite != 'A') continue;
    programs.push_back(SmallRun(benchmark, false));
    programs.push_back(SmallRun(benchmark, true));
  }
  REQUIRE(programs.size() >= 30);
  CheckAgree(programs);
}

TEST_CASE("suites B, C and D agree on every path", "[more]") {
  std::vector<TestProgram> programs;
  for (const Benchmark& benchmark : Benchmarks()) {
    if (benchmark.suite != 'A') programs.push_back(SmallRun(benchmark, false));
  }
  REQUIRE(programs.size() >= 40);
  CheckAgree(programs);
}

TEST_CASE("examples and benchmarks draw no diagnostics") {
  std::vector<TestProgram> programs = Examples();
  for (const Benchmark& benchmark : Benchmarks()) programs.push_back(SmallRun(benchmark, false));
  for (const TestProgram& program : programs) {
    const SourceFile source(fmt::format("{}.idsl", program.name), program.text);
    DiagnosticSink sink;
    driver::CompileToGraph(source, CudaOptions(program.name), sink);
    INFO(RenderText(source, sink.diagnostics(), 0, false));
    CHECK(sink.diagnostics().empty());
  }
}

TEST_CASE("benchmarks do the arithmetic that their bench.json counts") {
  for (const Benchmark& benchmark : Benchmarks()) {
    const SourceFile source(fmt::format("{}.idsl", benchmark.name), benchmark.text);
    DiagnosticSink sink;
    const auto graph = driver::CompileToGraph(source, CudaOptions(benchmark.Identifier()), sink);
    REQUIRE(graph);
    std::int64_t flops = 0;
    for (const graph::Node& node : graph->nodes) {
      const auto* op = std::get_if<graph::Operator>(&node);
      if (op != nullptr && !op->target.empty()) flops += graph::FlopsPerPoint(*graph, *op);
    }
    INFO(benchmark.name);
    CHECK(flops == benchmark.flops_per_point);
  }
}

TEST_CASE("a difference is seen, and only where the program defines a value") {
  RunObject array;
  array.name = "u";
  array.shape = {2, 2};
  array.output = 0;
  graph::InterpretResult reference;
  reference.outputs = {std::vector<double>{1, 2, 3, 4}};
  reference.defined = {{1, 1, 0, 1}};
  const auto compare = [&](std::vector<double> got, double tolerance) {
    return Compare(array, graph::Values(got), reference, tolerance);
  };
  CHECK(compare({1, 2, 3, 4}, 0).empty());
  CHECK(compare({1, 2, 77, 4}, 0).empty());
  CHECK(compare({1, 2, 3, 5}, 0) == "u[1][1] is 5, should be 4");
  CHECK(compare({1, 2, 3, 4 + 1e-13}, 1e-12).empty());
  CHECK(compare({1, 2, 3, 4 + 1e-10}, 1e-12).find("relative RMS error") != std::string::npos);
  CHECK(compare({1, 2, 3, NAN}, 1e-12) == "u[1][1] is nan, should be 4");
}

TEST_CASE("an array that is not copied out must stay as it was") {
  RunObject array;
  array.name = "scratch";
  array.bytes = {1, 2, 3};
  CHECK(Compare(array, {1, 2, 3}, {}, 0).empty());
  CHECK(!Compare(array, {1, 2, 4}, {}, 0).empty());
}

TEST_CASE("nvcc compiles every example without a warning") {
  const std::string nvcc = driver::FindCompiler(driver::Backend::Cuda);
  if (nvcc.empty()) {
    WARN("nvcc is not here: nothing checked");
    return;
  }
  const TemporaryDirectory directory;
  std::vector<std::string> command = {
      nvcc,         "-std=c++17",    "-arch=sm_90", "-Werror", "all-warnings",
      "-Xcompiler", "-Wall,-Wextra", "--threads",   "0",       "-c"};
  for (const TestProgram& program : Examples()) {
    const SourceFile source(fmt::format("{}.idsl", program.name), program.text);
    DiagnosticSink sink;
    const auto compiled = driver::Compile(source, CudaOptions(program.name), sink);
    REQUIRE(compiled);
    const auto path = directory.path() / fmt::format("{}.cu", program.name);
    std::ofstream(path) << compiled->text;
    const auto object = directory.path() / fmt::format("{}.o", program.name);
    std::vector<std::string> one = command;
    one.insert(one.end(), {path.string(), "-o", object.string()});
    const driver::ProcessResult result = driver::RunProcess(one);
    INFO(program.name << ":\n" << result.output);
    CHECK(result.status == 0);
    CHECK(result.output.empty());
  }
}
