// Values of several points that become arrays: graphs mean the same, bit for bit, and so does the
// code of all targets.
#include "passes/share_values.h"

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "graph/verify.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/graph_of_text.h"
#include "support/prng.h"
#include "support/program_run.h"
#include "support/schedule_generator.h"
#include "support/slow_value_generator.h"
#include "support/temporary_directory.h"

namespace stencilgen::testing {
namespace {

/// Why a run of the graph is not that of the other one; empty where it is.
std::string Difference(const graph::Graph& graph, const graph::Graph& other,
                       const TestProgram& program) {
  constexpr std::uint64_t kSeed = 7;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    const ProgramRun want = PrepareRun(graph, program, run, kSeed);
    const ProgramRun got = PrepareRun(other, program, run, kSeed);
    if (want.reference.error != got.reference.error) return got.reference.error;
    if (!want.reference.error.empty()) continue;
    for (const RunObject& array : want.arrays) {
      if (array.output < 0) continue;
      const auto& values = got.reference.outputs[static_cast<std::size_t>(array.output)];
      const std::string difference = Compare(array, values, want.reference, 0);
      if (!difference.empty()) return difference;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("random programs mean the same when values are shared") {
  constexpr int kPrograms = 1000;
  Prng prng(20261128);
  int with_arrays = 0;
  for (int n = 0; n < kPrograms; ++n) {
    const TestProgram program = RandomSlowValues(&prng, n);
    const graph::Graph graph = GraphOf(program.text, OptionsOf(program));
    const passes::SharedValues shared = passes::ShareValues(graph, 1);
    with_arrays += shared.arrays.empty() ? 0 : 1;
    INFO(program.text);
    REQUIRE(graph::Verify(shared.graph).empty());
    REQUIRE(Difference(graph, shared.graph, program) == "");
  }
  CHECK(with_arrays > kPrograms / 2);
}

TEST_CASE("code of random programs is right where values are shared") {
  Prng prng(421);
  std::vector<TestProgram> programs;
  constexpr int kPrograms = 120;
  for (int n = 0; n < kPrograms; ++n) {
    programs.push_back(RandomSlowValues(&prng, n));
    const int rank = programs.back().text.find("iterator k") == std::string::npos ? 2 : 3;
    SetSchedule(&programs.back(), RandomSchedule(&prng, rank));
  }
  const TemporaryDirectory directory;
  for (const char* variant : {"cpp-strict", "cuda-strict"}) {
    DifferentialOptions options;
    options.directory = directory.path();
    options.only = variant;
    options.execute = true;
    options.sharing = passes::Sharing::Always;
    CHECK(Describe(RunDifferential(programs, options)) == "");
  }
  DifferentialOptions compiled;
  compiled.directory = directory.path();
  compiled.sharing = passes::Sharing::Always;
  programs.resize(kPrograms / 10);
  CHECK(Describe(RunDifferential(programs, compiled)) == "");
}

}  // namespace stencilgen::testing
