#include "cpu/cpu_subject.h"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "driver/choose_schedule.h"
#include "driver/options.h"
#include "frontend/read_program.h"

namespace stencilgen::tables {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  std::fputs(message.c_str(), stderr);
  std::exit(1);
}

}  // namespace

CpuSubject CompileForCpu(const testing::Benchmark& benchmark,
                         const std::vector<std::string>& arguments) {
  const std::string file = fmt::format("{}.idsl", benchmark.name);
  const SourceFile source(file, benchmark.text);
  DiagnosticSink sink;
  const auto program = ReadProgram(source, sink);
  if (!program) Fail(RenderText(source, sink.diagnostics(), 0, false));
  std::vector<std::string> all = {file, "--target", "cpp", "--no-standalone"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const auto options = driver::ParseCommandLine(all);
  if (const auto* error = std::get_if<driver::UsageError>(&options)) Fail(error->message + "\n");
  CpuSubject subject;
  subject.options =
      driver::MakePipelineOptions(std::get<driver::Options>(options), program->interface);
  subject.options.codegen.function = subject.options.program_name;
  // What is compared are orders of the operations in one loop over a row.
  subject.options.nests.fit_caches = false;
  auto graph = driver::CompileToGraph(*program, subject.options, sink);
  if (!graph) Fail(RenderText(source, sink.diagnostics(), 0, false));
  plan::Plan plan = driver::CompileToPlan(*std::move(graph), subject.options);
  subject.compiled = driver::EmitCode(std::move(plan), source, subject.options);
  return subject;
}

std::string UnrollArgument(const driver::Compiled& compiled, const std::vector<int>& points) {
  std::string text;
  for (std::size_t n = 0; n < points.size(); ++n) {
    text += fmt::format("{}{}={}", n > 0 ? "," : "", compiled.plan.graph.iterators[n], points[n]);
  }
  return text;
}

std::vector<testing::Benchmark> SuiteB(const std::vector<std::string>& names) {
  std::set<std::string> unknown(names.begin(), names.end());
  std::vector<testing::Benchmark> suite;
  for (testing::Benchmark& benchmark : testing::Benchmarks()) {
    if (benchmark.suite != 'B') continue;
    if (!names.empty() && unknown.erase(benchmark.name) == 0) continue;
    suite.push_back(std::move(benchmark));
  }
  if (!unknown.empty()) Fail(fmt::format("{} is no program of suite B\n", *unknown.begin()));
  return suite;
}

}  // namespace stencilgen::tables
