// Global loads and stores that the emulator counts in tiled kernels, against the closed form of
// Rawat, Table 3.1, and its counterpart for two dimensions.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "support/catch.h"
#include "support/program_run.h"
#include "support/suite.h"
#include "support/temporary_directory.h"
#include "tools/run/emulator_control.h"
#include "unit/traffic_model.h"

namespace {

using namespace stencilgen;
using namespace stencilgen::testing;

/// A program of the suite under one schedule.
struct Subject {
  Benchmark benchmark;
  bool streamed = false;
  int steps = 1;

  bool IsFlat() const { return benchmark.full.count("L") == 0; }
  bool ReachesTwo() const { return benchmark.name == "j3d13pt" || benchmark.name == "denoise"; }
};

/// Blocks that leave something to store after four steps, with planes that fit the registers.
plan::Schedule ScheduleOf(const Subject& subject) {
  plan::Schedule schedule;
  schedule.shared_memory = true;
  schedule.fusion = plan::Fusion::Max;
  if (subject.streamed) schedule.stream = plan::Stream{0, 0};
  if (subject.IsFlat()) {
    schedule.block = subject.streamed ? std::array{32, 1, 1} : std::array{32, 8, 1};
    schedule.unroll = {1, subject.streamed ? 1 : 4, 1};
  } else if (subject.streamed) {
    const bool narrow = subject.benchmark.name == "curl";  // it has many fields
    schedule.block = {32, narrow ? 16 : 12, 1};
    schedule.unroll = {1, narrow ? 1 : 2, 1};
  } else if (subject.ReachesTwo()) {
    schedule.block = {24, 10, 4};
    schedule.unroll = {1, 2, 5};
  } else {
    schedule.block = {16, 12, 4};
    schedule.unroll = {1, 1, 3};
  }
  return schedule;
}

Cut CutOf(const Subject& subject) {
  const plan::Schedule schedule = ScheduleOf(subject);
  Cut cut;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cut.tile[2 - axis] = std::int64_t{schedule.block[axis]} * schedule.unroll[axis];
  }
  cut.streamed = subject.streamed;
  return cut;
}

/// Several tiles a dimension, the last not whole; of the whole array as many as of the domain: a
/// kernel that stores the array's frame too has tiles of all of it.
Extents SizeOf(const Subject& subject) {
  if (subject.IsFlat()) return {1, 41, 107};
  if (subject.streamed) return {19, 43, 59};
  return subject.ReachesTwo() ? Extents{15, 17, 27} : Extents{17, 19, 27};
}

driver::PipelineOptions OptionsOf(const Subject& subject) {
  driver::PipelineOptions options;
  options.program_name = subject.benchmark.Identifier();
  options.verify = true;
  options.schedule = ScheduleOf(subject);
  options.unroll_given = {true, true, true};
  options.time_tile = subject.steps;
  options.fixed["T"] = subject.steps;
  options.codegen.standalone = false;
  options.codegen.function = options.program_name;
  return options;
}

/// The time-iterated programs of suite A, compiled together for the emulator.
class Suite {
 public:
  Suite(bool streamed, int steps) {
    std::string text;
    for (const Benchmark& benchmark : Benchmarks()) {
      if (benchmark.suite != 'A' || benchmark.full.count("T") == 0) continue;
      subjects_.push_back({benchmark, streamed, steps});
      text += Emit(subjects_.back());
    }
    driver::BuildOptions build;
    build.backend = driver::Backend::CudaEmulated;
    build.optimize = 1;
    build.directory = directory_.path();
    std::string error;
    library_ = driver::HostLibrary::Build(text, "suite", build, error);
    INFO(error);
    REQUIRE(library_ != nullptr);
  }

  const std::vector<Subject>& subjects() const { return subjects_; }

  /// What one run of `steps` steps loads and stores, in elements; its results are checked.
  Traffic Count(const Subject& subject, const Extents& size) {
    TestProgram program;
    program.name = subject.benchmark.Identifier();
    program.text = subject.benchmark.text;
    program.lowest_input = subject.benchmark.lowest_input;
    program.sizes = {{{"M", size[1]}, {"N", size[2]}, {"T", subject.steps}}};
    if (!subject.IsFlat()) program.sizes[0]["L"] = size[0];
    const ProgramRun run = PrepareRun(graphs_.at(program.name), program, 0, 1);
    REQUIRE(run.reference.error.empty());
    std::vector<std::vector<std::uint8_t>> memory;
    for (const RunObject& array : run.arrays) memory.push_back(array.bytes);
    std::vector<void*> arrays;
    for (auto& bytes : memory) arrays.push_back(bytes.data());
    std::vector<const void*> scalars;
    for (const RunObject& scalar : run.scalars) scalars.push_back(scalar.bytes.data());
    const std::vector<int> parameters(run.parameters.begin(), run.parameters.end());
    const driver::EmulatorControl emulator(*library_);
    emulator.Reset();
    REQUIRE(library_->Call(program.name, arrays, scalars, parameters) == 0);
    for (std::size_t n = 0; n < memory.size(); ++n) {
      CHECK(Compare(run.arrays[n], memory[n], run.reference, 1e-12).empty());
    }
    const driver::Counters counters = emulator.Read();
    return {static_cast<std::int64_t>(counters.global_load_bytes / sizeof(double)),
            static_cast<std::int64_t>(counters.global_store_bytes / sizeof(double))};
  }

 private:
  std::string Emit(const Subject& subject) {
    const driver::PipelineOptions options = OptionsOf(subject);
    const SourceFile source(fmt::format("{}.idsl", subject.benchmark.name), subject.benchmark.text);
    DiagnosticSink sink;
    auto compiled = driver::Compile(source, options, sink);
    REQUIRE(compiled.has_value());
    INFO(subject.benchmark.name);
    REQUIRE(compiled->plan.kernels.begin() != compiled->plan.kernels.end());
    const plan::Kernel& kernel = *compiled->plan.kernels.begin();
    REQUIRE(kernel.tile.has_value());
    CHECK(kernel.tile->stream.has_value() == subject.streamed);
    std::string text = fmt::format("{}\n{}\n", compiled->text,
                                   codegen::EmitTrampoline(compiled->module, options.codegen));
    graphs_.emplace(options.program_name, std::move(compiled->plan.graph));
    return text;
  }

  TemporaryDirectory directory_;
  std::vector<Subject> subjects_;
  std::map<std::string, graph::Graph> graphs_;
  std::unique_ptr<driver::HostLibrary> library_;
};

Traffic Expected(const Subject& subject, const Extents& size) {
  const Moved moved = MovedBy(subject.benchmark.name, subject.steps);
  Traffic traffic = TrafficOfLaunch(moved, CutOf(subject), size);
  traffic.loads += Outside(moved, size);
  traffic.stores += Outside(moved, size);
  return traffic;
}

/// Dimensions that blocks cut.
std::vector<std::size_t> TiledDimensions(const Subject& subject) {
  const std::size_t outer = subject.IsFlat() ? 1 : 0;
  std::vector<std::size_t> dimensions;
  for (std::size_t d = subject.streamed ? outer + 1 : outer; d < 3; ++d) dimensions.push_back(d);
  return dimensions;
}

/// What one block far from the array's ends moves, and the elements outside the domain that it is
/// copied for: what it takes to make the array a block larger in every tiled dimension, less what
/// it takes in fewer of them.
Traffic CountOneBlock(Suite& suite, const Subject& subject, std::int64_t overlap) {
  const std::vector<std::size_t> dimensions = TiledDimensions(subject);
  const Cut cut = CutOf(subject);
  Traffic block;
  for (unsigned larger = 0; larger < 1U << dimensions.size(); ++larger) {
    Extents size = SizeOf(subject);
    std::int64_t sign = dimensions.size() % 2 == 0 ? 1 : -1;
    for (std::size_t n = 0; n < dimensions.size(); ++n) {
      const std::int64_t block_stores = cut.tile[dimensions[n]] - overlap;
      size[dimensions[n]] += block_stores;  // the first tile is the last one in no array
      if ((larger >> n & 1U) == 0) continue;
      size[dimensions[n]] += block_stores;
      sign = -sign;
    }
    const Traffic traffic = suite.Count(subject, size);
    block.loads += sign * traffic.loads;
    block.stores += sign * traffic.stores;
  }
  return block;
}

/// Table 3.1 as it stands, with B points of a tile, T steps of reach k, and N planes walked along:
/// N B^2 loads and (B - 2Tk)^2 stores a plane that is stored; B^3 and (B - 2Tk)^3 without a walk.
/// The planes stored are those of the domain, N - 2k: planes outside it keep their values, and the
/// block copies them.
void CheckTable(Suite& suite, const Subject& subject, std::int64_t reach) {
  const Cut cut = CutOf(subject);
  const std::int64_t overlap = 2 * subject.steps * reach;
  Traffic expected = {1, 1};
  for (const std::size_t d : TiledDimensions(subject)) {
    expected.loads *= cut.tile[d];
    expected.stores *= cut.tile[d] - overlap;
  }
  if (subject.streamed) {
    const std::int64_t planes = SizeOf(subject)[subject.IsFlat() ? 1 : 0];
    const std::int64_t copied = 2 * reach * expected.stores;
    expected.loads = planes * expected.loads + copied;
    expected.stores = (planes - 2 * reach) * expected.stores + copied;
  }
  INFO(subject.benchmark.name << ", " << subject.steps << " steps, one block");
  const Traffic counted = CountOneBlock(suite, subject, overlap);
  CHECK(counted.loads == expected.loads);
  CHECK(counted.stores == expected.stores);
}

/// Of the programs whose blocks are also counted one by one: a star and a box of each rank.
const std::map<std::string, std::int64_t> kReach = {
    {"j2d5pt", 1}, {"gaussian", 2}, {"j3d27pt", 1}, {"j3d13pt", 2}};

void CheckSuite(bool streamed, int steps) {
  Suite suite(streamed, steps);
  REQUIRE(suite.subjects().size() == 14);
  for (const Subject& subject : suite.subjects()) {
    const Extents size = SizeOf(subject);
    const Traffic counted = suite.Count(subject, size);
    const Traffic expected = Expected(subject, size);
    INFO(subject.benchmark.name << ", " << steps << " steps" << (streamed ? ", streamed" : ""));
    CHECK(counted.loads == expected.loads);
    CHECK(counted.stores == expected.stores);
    const auto reach = kReach.find(subject.benchmark.name);
    if (reach != kReach.end()) CheckTable(suite, subject, reach->second);
  }
}

}  // namespace

TEST_CASE("streamed tiles load and store what the closed form says") {
  for (const int steps : {1, 2, 4}) CheckSuite(true, steps);
}

TEST_CASE("tiles without a stream load and store what the closed form says") {
  for (const int steps : {1, 2, 4}) CheckSuite(false, steps);
}
