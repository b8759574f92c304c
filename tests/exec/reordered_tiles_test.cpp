// Kernels with tiles whose steps are reordered, on the emulator against the interpreter, at awkward
// sizes.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/schedule_text.h"
#include "support/suite.h"
#include "support/temporary_directory.h"

namespace stencilgen::testing {
namespace {

/// Several points a thread, along each dimension and in each way to get at their neighbours.
const std::vector<std::string> kSchedules = {
    "block=8,4,1 unroll=1,2,1 stream=0:0 shared=yes form=scatter reorder=lars",
    "block=16,5,4 unroll=2,1,1 stream=0:5 shared=yes form=scatter halo=loads reorder=trees",
    "block=8,8,4 unroll=2,2,1 stream=0:0 shared=yes reorder=trees prefetch=register",
    "block=8,6,4 unroll=1,3,1 stream=0:7 shared=yes halo=loads reorder=lars prefetch=async",
    "block=16,8,8 unroll=2,2,2 shared=yes fusion=max reorder=auto",
    "block=16,8,8 unroll=2,1,1 shared=yes shuffle=yes fusion=max reorder=lars",
    "block=16,8,1 unroll=1,2,1 stream=0:0 time_tile=2 fusion=max shared=yes reorder=trees",
};

std::vector<TestProgram> Reordered() {
  const std::vector<std::map<std::string, std::int64_t>> sizes = {
      {{"L", 19}, {"M", 27}, {"N", 41}, {"T", 3}}, {{"L", 5}, {"M", 33}, {"N", 9}, {"T", 2}}};
  std::vector<TestProgram> programs;
  for (const Benchmark& benchmark : Benchmarks()) {
    static const std::vector<std::string> kNames = {"2d25pt", "3d27pt", "clover2d-pdv", "heat",
                                                    "helmholtz-v2"};
    if (std::find(kNames.begin(), kNames.end(), benchmark.name) == kNames.end()) continue;
    for (const std::string& text : kSchedules) {
      const auto timed = ReadSchedule(text);
      REQUIRE(timed);
      TestProgram program;
      program.name = fmt::format("{}_{}", benchmark.Identifier(), programs.size());
      program.text = benchmark.text;
      program.lowest_input = benchmark.lowest_input;
      for (const auto& all : sizes) {
        std::map<std::string, std::int64_t> known;
        for (const auto& [name, value] : all) {
          if (benchmark.full.count(name) > 0) known[name] = value;
        }
        program.sizes.push_back(known);
      }
      SetSchedule(&program, *timed);
      programs.push_back(std::move(program));
    }
  }
  return programs;
}

TEST_CASE("reordered tiles agree with the interpreter") {
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  options.only = "cuda-fast";
  const std::string failures = Describe(RunDifferential(Reordered(), options));
  INFO(failures);
  CHECK(failures.empty());
}

TEST_CASE("statements cut into sums are reordered, one a kernel") {
  std::vector<TestProgram> programs;
  for (const Benchmark& benchmark : Benchmarks()) {
    if (benchmark.name != "rhs4center") continue;
    const auto timed = ReadSchedule("block=16,3,2 split=4 crossing=cheaper reorder=trees");
    REQUIRE(timed);
    TestProgram program;
    program.name = benchmark.Identifier();
    program.text = benchmark.text;
    program.lowest_input = benchmark.lowest_input;
    program.sizes = {{{"L", 7}, {"M", 11}, {"N", 19}}};
    SetSchedule(&program, *timed);
    programs.push_back(std::move(program));
  }
  REQUIRE(programs.size() == 1);
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  options.only = "cuda-fast";
  const std::string failures = Describe(RunDifferential(programs, options));
  INFO(failures);
  CHECK(failures.empty());
}

TEST_CASE("reordered tiles are tiles, and their code is the same each time") {
  int tiles = 0;
  int scattered = 0;
  for (const TestProgram& program : Reordered()) {
    INFO(program.name);
    const SourceFile source(program.name, program.text);
    driver::PipelineOptions options = OptionsOf(program);
    options.codegen.reorder.how = program.reorder;
    DiagnosticSink sink;
    const auto compiled = driver::Compile(source, options, sink);
    REQUIRE(compiled);
    bool tiled = false;
    for (const plan::Kernel& kernel : compiled->plan.kernels) {
      if (!kernel.tile) continue;
      tiled = true;
      ++tiles;
      for (const plan::TileOperator& op : kernel.tile->ops) scattered += op.scatter ? 1 : 0;
    }
    const bool ordered = compiled->text.find("live at once beside planes") != std::string::npos;
    CHECK(ordered == tiled);
    CHECK(driver::Compile(source, options, sink)->text == compiled->text);
  }
  CHECK(tiles >= 30);
  CHECK(scattered >= 6);
}

}  // namespace
}  // namespace stencilgen::testing
