// No barrier is there by habit: each one, left out, makes a result wrong in some order of threads.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "plan/barriers.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/program_run.h"
#include "support/schedule_matrix.h"
#include "support/suite.h"
#include "support/temporary_directory.h"
#include "tools/run/emulator_control.h"

namespace stencilgen::testing {
namespace {

using driver::EmulatorControl;
using driver::ThreadOrder;

/// Several tiles and steps, and every loop has full turns and a remainder. Walls read what others
/// have written only at corners, and where both are neighbours.
std::vector<std::map<std::string, std::int64_t>> SeveralTiles(const TestProgram& example) {
  const auto& names = example.sizes.front();
  if (example.name == "walls") {
    return {{{"M", 27}, {"N", 45}, {"T", 4}},
            {{"M", 27}, {"N", 45}, {"T", 5}},
            {{"M", 2}, {"N", 21}, {"T", 5}},
            {{"M", 21}, {"N", 2}, {"T", 5}},
            {{"M", 3}, {"N", 3}, {"T", 5}}};
  }
  // Tiles of several turns are between pictures.
  if (example.name == "survey") {
    return {{{"M", 27}, {"N", 45}, {"T", 25}, {"SOURCE", 6}, {"SHOT", 40}}};
  }
  if (names.count("M") == 0) return {{{"N", 83}, {"T", 5}}};
  if (names.count("L") > 0) return {{{"L", 11}, {"M", 13}, {"N", 21}, {"T", 5}}};
  if (names.count("MC") > 0) return {{{"M", 33}, {"N", 65}, {"MC", 17}, {"NC", 33}}};
  return {{{"M", 27}, {"N", 45}, {"T", 5}}};
}

struct Case {
  TestProgram program;
  std::vector<ProgramRun> runs;
  int barriers = 0;     ///< in the plan
  bool shares = false;  ///< some tile has shared memory
};

class Library {
 public:
  Library() {
    options_.backend = driver::Backend::CudaEmulated;
    options_.fp = FpMode::Strict;
    options_.optimize = 1;
    options_.directory = directory_.path();
  }

  void Add(const TestProgram& program) {
    const SourceFile source(fmt::format("{}.idsl", program.name), program.text);
    driver::PipelineOptions options = OptionsOf(program);
    options.codegen.function = program.name;
    options.codegen.fp = FpMode::Strict;
    options.codegen.standalone = false;
    DiagnosticSink sink;
    auto graph = driver::CompileToGraph(source, options, sink);
    REQUIRE(graph);
    Case added{program, {}};
    for (std::size_t run = 0; run < program.sizes.size(); ++run) {
      added.runs.push_back(PrepareRun(*graph, program, run, 1));
    }
    const driver::Compiled compiled =
        driver::EmitCode(driver::CompileToPlan(*std::move(graph), options), source, options);
    for (const plan::Kernel& kernel : compiled.plan.kernels) {
      if (!kernel.tile) continue;
      added.barriers += plan::CountBarriers(*kernel.tile);
      added.shares = added.shares || !kernel.tile->regions.empty();
    }
    text_ += compiled.text;
    text_ += codegen::EmitTrampoline(compiled.module, options.codegen);
    text_ += '\n';
    cases_.push_back(std::move(added));
  }

  void Build() {
    std::string error;
    library_ = driver::HostLibrary::Build(text_, "barriers", options_, error);
    INFO(error);
    REQUIRE(library_ != nullptr);
  }

  const std::vector<Case>& cases() const { return cases_; }
  EmulatorControl control() const { return EmulatorControl(*library_); }

  bool IsRight(const Case& c) const {
    return std::all_of(c.runs.begin(), c.runs.end(),
                       [&](const ProgramRun& run) { return IsRight(c, run); });
  }

  /// True where the result is right in every order that is tried.
  bool IsAlwaysRight(const Case& c) const {
    constexpr unsigned kSeeds = 20;
    const auto right = [&](ThreadOrder order, unsigned seed) {
      control().SetOrder(order, seed);
      return IsRight(c);
    };
    if (!right(ThreadOrder::Forward, 1) || !right(ThreadOrder::Backward, 1)) return false;
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      if (!right(ThreadOrder::Random, seed)) return false;
    }
    return true;
  }

 private:
  bool IsRight(const Case& c, const ProgramRun& run) const {
    std::vector<std::vector<std::uint8_t>> memory;
    std::vector<void*> arrays;
    std::vector<const void*> scalars;
    for (const RunObject& array : run.arrays) memory.push_back(array.bytes);
    for (auto& bytes : memory) arrays.push_back(bytes.data());
    for (const RunObject& scalar : run.scalars) scalars.push_back(scalar.bytes.data());
    const std::vector<int> parameters(run.parameters.begin(), run.parameters.end());
    if (library_->Call(c.program.name, arrays, scalars, parameters) != 0) return false;
    for (std::size_t n = 0; n < memory.size(); ++n) {
      if (!Compare(run.arrays[n], memory[n], run.reference, 0).empty()) return false;
    }
    return true;
  }

  TemporaryDirectory directory_;
  driver::BuildOptions options_;
  std::string text_;
  std::vector<Case> cases_;
  std::unique_ptr<driver::HostLibrary> library_;
};

TEST_CASE("each barrier, dropped, is missed") {
  Library library;
  std::vector<NamedSchedule> schedules;
  for (const NamedSchedule& schedule : ScheduleMatrix()) {
    // A split decides which statements share a tile, not how it waits.
    const bool split = schedule.timed.split > 0;
    if (schedule.timed.schedule.shared_memory && !split) schedules.push_back(schedule);
  }
  for (const TestProgram& program : WithSchedules(Examples(), schedules, SeveralTiles)) {
    library.Add(program);
  }
  library.Build();
  int dropped = 0;
  for (const Case& c : library.cases()) {
    INFO(c.program.name);
    library.control().Reset();
    library.control().DropBarrier(0);
    library.control().SetOrder(ThreadOrder::Random, 1);
    REQUIRE(library.IsRight(c));
    const std::vector<int> lines = library.control().BarrierLines();
    CHECK(lines.empty() != c.shares);
    CHECK(static_cast<int>(lines.size()) >= c.barriers);
    for (const int line : lines) {
      INFO("the barrier on line " << line);
      library.control().DropBarrier(line);
      CHECK(!library.IsAlwaysRight(c));
      ++dropped;
    }
  }
  CHECK(dropped > 80);
}

}  // namespace
}  // namespace stencilgen::testing
