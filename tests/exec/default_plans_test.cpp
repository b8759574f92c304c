// The plans that the compiler chooses by itself, on the emulator against the interpreter.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/choose_schedule.h"
#include "driver/pipeline.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/suite.h"

namespace {

using namespace stencilgen;
using namespace stencilgen::testing;

/// The program with what is chosen for it, at sizes that are fixed or at its own.
TestProgram WithChoice(TestProgram program, const std::map<std::string, std::int64_t>& sizes) {
  const SourceFile source("p.idsl", program.text);
  DiagnosticSink sink;
  driver::PipelineOptions options;
  options.choose = true;
  options.codegen.fp = FpMode::Strict;
  options.fixed = sizes;
  auto graph = driver::CompileToGraph(source, options, sink);
  REQUIRE(graph);
  const auto chosen = driver::CompileToChosenPlan(*std::move(graph), options).chosen;
  program.schedule = chosen.schedule;
  program.time_tile = chosen.time_tile;
  return program;
}

void CheckAgree(const std::vector<TestProgram>& programs, bool execute) {
  const std::string failures = FindStrictFailures(programs, execute);
  INFO(failures);
  CHECK(failures.empty());
}

std::vector<TestProgram> Programs(char suite) {
  std::vector<TestProgram> programs;
  for (const Benchmark& benchmark : Benchmarks()) {
    if (benchmark.suite != suite) continue;
    TestProgram program;
    program.name = benchmark.Identifier();
    program.text = benchmark.text;
    program.sizes = {benchmark.small};
    program.lowest_input = benchmark.lowest_input;
    programs.push_back(program);
  }
  return programs;
}

/// Chosen for the program's own sizes, which is what users get, and for those of its small run,
/// where chunks are short; the former on the emulator, and both as code that is executed.
void CheckChoices(const std::vector<TestProgram>& programs) {
  REQUIRE_FALSE(programs.empty());
  std::vector<TestProgram> chosen, for_small;
  for (const TestProgram& program : programs) {
    chosen.push_back(WithChoice(program, {}));
    for_small.push_back(WithChoice(program, program.sizes.front()));
  }
  CheckAgree(chosen, false);
  CheckAgree(chosen, true);
  CheckAgree(for_small, true);
}

}  // namespace

TEST_CASE("the chosen plans of the examples are right") {
  CheckChoices(Examples());
}
TEST_CASE("the chosen plans of suite A are right") {
  CheckChoices(Programs('A'));
}
TEST_CASE("the chosen plans of suite B are right", "[more]") {
  CheckChoices(Programs('B'));
}
TEST_CASE("the chosen plans of suite C are right", "[more]") {
  CheckChoices(Programs('C'));
}
TEST_CASE("the chosen plans of suite D are right", "[more]") {
  CheckChoices(Programs('D'));
}
