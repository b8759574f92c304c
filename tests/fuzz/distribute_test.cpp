// Programs for many machines against the interpreter, without MPI: every rank's segments are
// interpreted in this process, and exchanges copy in between.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "distribute/distribute.h"
#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "support/catch.h"
#include "support/distributed_run.h"
#include "support/prng.h"
#include "support/program_generator.h"
#include "support/program_run.h"
#include "support/suite.h"

namespace stencilgen::testing {
namespace {

using distribute::Distributed;

graph::Values ValuesOf(const RunObject& object) {
  graph::Values values = graph::MakeValues(object.type, object.count());
  std::visit(
      [&](auto& elements) {
        std::copy_n(object.bytes.data(), object.bytes.size(),
                    reinterpret_cast<std::uint8_t*>(elements.data()));
      },
      values);
  return values;
}

struct Outcome {
  bool distributed = false;
  int runs = 0;       ///< on several ranks
  int exchanges = 0;  ///< of all runs
  std::string refusal, difference;
};

/// Where whole runs on ranks differ from one of the interpreter's, at defined elements.
std::string CompareRun(const graph::Graph& graph, const Distributed& program, const ProgramRun& run,
                       const std::vector<std::int64_t>& ranks, Outcome& outcome) {
  std::map<std::string, graph::Values> inputs;
  for (const auto* objects : {&run.arrays, &run.scalars}) {
    for (const RunObject& object : *objects) inputs[object.name] = ValuesOf(object);
  }
  const auto result = RunDistributed(program, run.parameters, inputs, ranks);
  if (!result) return "";
  if (!result->error.empty()) return result->error;
  ++outcome.runs;
  outcome.exchanges += result->exchanges;
  for (std::size_t n = 0; n < graph.outputs.size(); ++n) {
    const graph::Array& array = graph.arrays[graph.outputs[n].array];
    for (const RunObject& object : run.arrays) {
      if (object.name != array.name) continue;
      const std::string difference =
          Compare(object, ToBytes(result->outputs.at(array.name)), run.reference, 0);
      if (!difference.empty()) return difference;
    }
  }
  return "";
}

Outcome CheckProgram(const TestProgram& program, std::int64_t together,
                     const std::vector<std::vector<std::int64_t>>& shapes) {
  Outcome outcome;
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  const auto graph = driver::CompileToGraph(source, {}, sink);
  if (!graph) {
    outcome.difference = RenderText(source, sink.diagnostics(), 0, false);
    return outcome;
  }
  DiagnosticSink refused;
  const auto distributed = distribute::Distribute(*graph, {together}, refused);
  if (!distributed) {
    outcome.refusal = RenderText(source, refused.diagnostics(), 1, false);
    return outcome;
  }
  outcome.distributed = true;
  for (const distribute::Segment& segment : distributed->segments) {
    const std::vector<std::string> broken = graph::Verify(segment.graph);
    if (broken.empty()) continue;
    outcome.difference = broken[0] + "\n" + graph::Print(segment.graph);
    return outcome;
  }
  for (const std::string& problem : distribute::Verify(*distributed)) {
    outcome.difference = problem;
    return outcome;
  }
  for (std::size_t r = 0; r < program.sizes.size(); ++r) {
    const ProgramRun run = PrepareRun(*graph, program, r, 11);
    if (!run.reference.error.empty()) continue;
    for (std::vector<std::int64_t> ranks : shapes) {
      ranks.resize(distributed->grid.axes.size(), 1);
      outcome.difference = CompareRun(*graph, *distributed, run, ranks, outcome);
      if (outcome.difference.empty()) continue;
      std::string text;
      for (const std::int64_t count : ranks) text += std::to_string(count) + " ";
      outcome.difference = "ranks " + text + ": " + outcome.difference;
      for (const distribute::Segment& segment : distributed->segments) {
        outcome.difference += "\n" + graph::Print(segment.graph);
      }
      return outcome;
    }
  }
  return outcome;
}

const std::vector<std::vector<std::int64_t>>& Shapes() {
  static const std::vector<std::vector<std::int64_t>> shapes = {{1}, {2}, {3}, {1, 2}, {2, 2},
                                                                {2, 1, 2}, {1, 3}};
  return shapes;
}

}  // namespace

TEST_CASE("random programs mean on many ranks what they mean on one") {
  const char* count = std::getenv("STENCILGEN_DISTRIBUTE_PROGRAMS");
  const int programs = count != nullptr ? std::atoi(count) : 150;
  int distributed = 0;
  int runs = 0;
  int exchanges = 0;
  std::map<std::string, int> refusals;
  for (int n = 0; n < programs; ++n) {
    const char* first = std::getenv("STENCILGEN_DISTRIBUTE_SEED");
    const std::uint64_t seed = (first != nullptr ? std::strtoull(first, nullptr, 10) : 910000) +
                               static_cast<std::uint64_t>(n);
    TestProgram program = GenerateProgram(seed);
    const std::int64_t together = 1 + n % 4;
    const Outcome outcome = CheckProgram(program, together, Shapes());
    INFO("seed " << seed << ", " << together << " turns together\n"
                 << program.text << "\n" << outcome.difference);
    REQUIRE(outcome.difference.empty());
    distributed += outcome.distributed ? 1 : 0;
    runs += outcome.runs;
    exchanges += outcome.exchanges;
    const std::size_t open = outcome.refusal.find('[');
    if (!outcome.refusal.empty()) ++refusals[outcome.refusal.substr(0, outcome.refusal.find('\n'))];
    (void)open;
  }
  for (const auto& [why, times] : refusals) WARN(times << " " << why);
  WARN(distributed << " distributed, " << runs << " runs, " << exchanges << " exchanges");
}

TEST_CASE("examples and benchmarks mean on many ranks what they mean on one") {
  std::vector<TestProgram> programs = Examples();
  for (const Benchmark& benchmark : Benchmarks()) {
    TestProgram program;
    program.name = benchmark.Identifier();
    program.text = benchmark.text;
    program.sizes.push_back(benchmark.small);
    program.lowest_input = benchmark.lowest_input;
    programs.push_back(program);
  }
  for (const TestProgram& program : programs) {
    for (const std::int64_t together : {1, 2, 3}) {
      const Outcome outcome = CheckProgram(program, together, {{2}, {1, 2}, {3, 2}});
      INFO(program.name << ", " << together << " together\n" << outcome.difference);
      if (together == 2) WARN(program.name << ": " << outcome.runs << " " << outcome.exchanges << " "<< outcome.refusal);
      CHECK(outcome.difference.empty());
    }
  }
}

}  // namespace stencilgen::testing
