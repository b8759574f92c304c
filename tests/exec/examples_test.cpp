#include <algorithm>
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
#include "support/suite.h"
#include "support/temporary_directory.h"

namespace {

using namespace stencilgen;
using namespace stencilgen::testing;

void CheckAgree(const std::vector<TestProgram>& programs) {
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  options.optimize = 2;
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

TEST_CASE("benchmarks agree on every path, in both precisions") {
  std::vector<TestProgram> programs;
  for (const Benchmark& benchmark : Benchmarks()) {
    programs.push_back(SmallRun(benchmark, false));
    programs.push_back(SmallRun(benchmark, true));
  }
  REQUIRE(programs.size() >= 30);
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

TEST_CASE("a program that the paths disagree on is found") {
  // The same program under strict floating point, but with an input that no path may see: a
  // tolerance of zero on two different programs must fail.
  std::vector<TestProgram> examples = Examples();
  const auto j2d5pt = std::find_if(examples.begin(), examples.end(),
                                   [](const TestProgram& p) { return p.name == "j2d5pt"; });
  REQUIRE(j2d5pt != examples.end());
  TestProgram broken = *j2d5pt;
  broken.text.replace(broken.text.find("out[j][i] ="), 11, "out[j][i] = nothing +");
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  const auto failures = RunDifferential({broken, *j2d5pt}, options);
  REQUIRE(failures.size() == 1);
  CHECK(failures.front().message.find("not accepted") != std::string::npos);
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
