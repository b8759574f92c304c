// Writes a folder with which a machine that has a GPU, nvcc and make, but none of our
// dependencies, runs the checks: sources, inputs, expected outputs, driver, Makefile. What measures
// is benchmarks/pack.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "support/check.h"
#include "support/program_generator.h"
#include "support/program_run.h"
#include "support/schedule_matrix.h"
#include "support/schedule_text.h"
#include "support/suite.h"

namespace stencilgen::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kInputSeed = 11;

/// True where every GPU function the graph calls is exact, so that strict results are equal bit for
/// bit.
bool IsExactOnGpu(const graph::Graph& graph) {
  for (const graph::Expr& expr : graph.exprs) {
    if (const auto* binary = std::get_if<graph::Binary>(&expr.node)) {
      const bool counted = std::holds_alternative<graph::Literal>(graph.exprs[binary->rhs].node) &&
                           graph.exprs[binary->rhs].type == ScalarType::Int;
      if (binary->op == BinaryOp::Power && !counted) return false;
    }
    const auto* call = std::get_if<graph::Call>(&expr.node);
    if (call != nullptr && !RoundsAlike(call->function)) return false;
  }
  return true;
}

bool AllFinite(const std::vector<graph::Values>& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const graph::Values& values) {
    for (std::size_t n = 0; n < graph::SizeOf(values); ++n) {
      if (!std::isfinite(graph::ElementAsDouble(values, n))) return false;
    }
    return true;
  });
}

class Pack {
 public:
  explicit Pack(fs::path directory) : directory_(std::move(directory)) {
    fs::create_directories(directory_ / "src");
    fs::create_directories(directory_ / "data");
    const fs::path root = STENCILGEN_SOURCE_DIR;
    fs::create_directories(directory_ / "tools" / "measure");
    const auto copy = [&](const fs::path& from, const fs::path& to) {
      for (const auto& entry : fs::directory_iterator(from)) {
        if (entry.path().filename() == "CMakeLists.txt") continue;
        fs::copy_file(entry.path(), to / entry.path().filename(),
                      fs::copy_options::overwrite_existing);
      }
    };
    copy(root / "tests" / "gpu" / "template", directory_);
    copy(root / "compiler" / "tools" / "measure", directory_ / "tools" / "measure");
  }

  /// A library of the program, and a test for each of its runs. False where it does not compile.
  bool AddTests(TestProgram program, FpMode fp, bool random) {
    if (fp == FpMode::Strict) program.name += "_strict";
    const auto graph = AddLibrary(program, fp);
    if (!graph) return false;
    const bool exact = fp == FpMode::Strict && IsExactOnGpu(*graph);
    const double tolerance = exact ? 0 : FastTolerance(*graph);
    if (random && !program.continuous && !exact) {
      // A rounding difference could decide a comparison: nothing to compare with.
      fs::remove(directory_ / "src" / (program.name + ".cu"));
      return true;
    }
    bool good = true;
    for (std::size_t run = 0; run < program.sizes.size(); ++run) {
      good = WriteTest(*graph, program, run, tolerance) && good;
    }
    return good;
  }

  /// A library and a test at small sizes.
  /// `plan`: its name after that of the benchmark and the precision.
  bool AddBenchmark(const Benchmark& benchmark, bool single, const std::string& plan,
                    const TimedSchedule& timed) {
    TestProgram program;
    program.name =
        fmt::format("{}_{}{}", benchmark.Identifier(), single ? "float" : "double", plan);
    program.text = single ? benchmark.SinglePrecisionText() : benchmark.text;
    program.sizes = {benchmark.small};
    program.lowest_input = benchmark.lowest_input;
    SetSchedule(&program, timed);
    const auto graph = AddLibrary(program, FpMode::Fast);
    if (!graph) return false;
    return WriteTest(*graph, program, 0, FastTolerance(*graph));
  }

  void Finish() { std::ofstream(directory_ / "tests.txt") << tests_; }

 private:
  std::optional<graph::Graph> AddLibrary(const TestProgram& program, FpMode fp) {
    const SourceFile source(fmt::format("{}.idsl", program.name), program.text);
    DiagnosticSink sink;
    driver::PipelineOptions options;
    options.program_name = program.name;
    options.schedule = program.schedule;
    if (fp == FpMode::Strict) options.schedule.form = plan::Form::Gather;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      options.unroll_given[axis] = program.schedule.unroll[axis] > 1;
    }
    options.time_tile = program.time_tile;
    if (program.split > 0) {
      options.split = driver::SplitOptions{program.split, program.crossing};
    }
    options.target = driver::Target::Cuda;
    options.codegen.fp = fp;
    options.codegen.function = program.name;
    options.codegen.source_name = source.name();
    const auto compiled = driver::Compile(source, options, sink);
    if (!compiled) {
      fmt::print(stderr, "{}", RenderText(source, sink.diagnostics(), 5, false));
      return std::nullopt;
    }
    std::ofstream(directory_ / "src" / fmt::format("{}.cu", program.name))
        << compiled->text << '\n'
        << codegen::EmitTrampoline(compiled->module, options.codegen);
    return driver::CompileToGraph(source, options, sink);
  }

  /// False where the program has no result at these sizes.
  bool WriteTest(const graph::Graph& graph, const TestProgram& program, std::size_t run_index,
                 double tolerance) {
    const ProgramRun run = PrepareRun(graph, program, run_index, kInputSeed);
    if (!run.reference.error.empty()) {
      fmt::print(stderr, "{}, sizes {}: {}\n", program.name, run_index, run.reference.error);
      return false;
    }
    // Where values overflow, a rounding difference decides which ones: nothing to compare with.
    if (tolerance > 0 && !AllFinite(run.reference.outputs)) return true;
    const std::string name = fmt::format("{}.{}", program.name, run_index);
    tests_ += fmt::format("test {} {} {}\nparameters {}\nscalars", name, program.name, tolerance,
                          fmt::join(run.parameters, " "));
    std::ofstream data(directory_ / "data" / fmt::format("{}.bin", name), std::ios::binary);
    const auto write = [&](const std::vector<std::uint8_t>& bytes) {
      data.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    };
    for (const RunObject& scalar : run.scalars) {
      tests_ += fmt::format(" {}", scalar.bytes.size());
      write(scalar.bytes);
    }
    tests_ += '\n';
    for (const RunObject& array : run.arrays) {
      tests_ += fmt::format("array {} {} {} {}\n", array.name, ElementName(array), array.count(),
                            array.output >= 0 ? 1 : 0);
      write(array.bytes);
    }
    for (const RunObject& array : run.arrays) {
      if (array.output < 0) continue;
      const auto output = static_cast<std::size_t>(array.output);
      write(ToBytes(run.reference.outputs[output], array.format));
      write(run.reference.defined[output]);
    }
    return true;
  }

  fs::path directory_;
  std::string tests_;
};

/// The examples at awkward sizes, plain and with some schedules of tiles.
bool AddExamples(Pack& pack) {
  static const std::set<std::string> kChosen = {
      "tile",       "chunks",        "timed_chunks", "ahead",          "together",    "async",
      "async_step", "points_stream", "shuffle",      "shuffle_points", "timed_fitted"};
  std::vector<NamedSchedule> chosen;
  for (const NamedSchedule& schedule : ScheduleMatrix()) {
    if (kChosen.count(schedule.name) > 0) chosen.push_back(schedule);
  }
  bool good = true;
  const std::vector<TestProgram> examples = Examples();
  for (const TestProgram& example : examples) {
    good = pack.AddTests(example, FpMode::Fast, false) && good;
    good = pack.AddTests(example, FpMode::Strict, false) && good;
  }
  const auto sizes = [](const TestProgram& example) { return example.sizes; };
  for (const TestProgram& program : WithSchedules(examples, chosen, sizes)) {
    good = pack.AddTests(program, FpMode::Strict, false) && good;
  }
  return good;
}

struct TimedPlan {
  const char* name;
  const char* schedule;
};

/// Plans to check: a point a thread from global memory, then tiles of one, two and four steps.
const std::vector<TimedPlan> kPlain = {{"", "block=64,4,1"}};
const std::vector<TimedPlan> kPlanes = {
    {"_tile_t1", "block=32,8,1 unroll=1,2,1 shared=yes fusion=max"},
    {"_tile_t2", "block=32,16,1 unroll=1,2,1 shared=yes fusion=max time_tile=2"},
    {"_tile_t4", "block=32,16,1 unroll=1,3,1 shared=yes fusion=max time_tile=4"},
    {"_stream_t1", "block=128,1,1 stream=0:256 shared=yes fusion=max"},
    {"_stream_t2", "block=128,1,1 stream=0:256 shared=yes fusion=max time_tile=2"},
    {"_stream_t4", "block=256,1,1 stream=0:256 shared=yes fusion=max time_tile=4"}};
const std::vector<TimedPlan> kVolumes = {
    {"_tile_t1", "block=16,8,8 shared=yes fusion=max"},
    {"_stream_t1", "block=32,8,1 stream=0:128 shared=yes fusion=max"},
    {"_stream_t2", "block=32,16,1 stream=0:128 shared=yes fusion=max time_tile=2"},
    {"_stream_t4", "block=32,16,1 unroll=1,2,1 stream=0:128 shared=yes fusion=max time_tile=4"}};

/// Every benchmark plain; suite A with tiles too.
bool AddBenchmarks(Pack& pack) {
  bool good = true;
  const auto add = [&](const Benchmark& benchmark, const std::vector<TimedPlan>& plans) {
    const bool iterates = benchmark.full.count("T") > 0;
    for (const TimedPlan& plan : plans) {
      const auto timed = ReadSchedule(plan.schedule);
      STENCILGEN_CHECK(timed);
      if (timed->time_tile > 1 && !iterates) continue;
      good = pack.AddBenchmark(benchmark, false, plan.name, *timed) && good;
      good = pack.AddBenchmark(benchmark, true, plan.name, *timed) && good;
    }
  };
  for (const Benchmark& benchmark : Benchmarks()) {
    add(benchmark, kPlain);
    if (benchmark.suite == 'A') add(benchmark, benchmark.full.count("L") > 0 ? kVolumes : kPlanes);
  }
  return good;
}

int Write(const fs::path& directory, int random_programs) {
  Pack pack(directory);
  bool good = AddExamples(pack);
  good = AddBenchmarks(pack) && good;
  for (int n = 0; n < random_programs; ++n) {
    const TestProgram program = GenerateProgram(static_cast<std::uint64_t>(5000 + n));
    good = pack.AddTests(program, FpMode::Strict, true) && good;
    if (n % 3 == 0 && program.continuous) good = pack.AddTests(program, FpMode::Fast, true) && good;
  }
  pack.Finish();
  return good ? 0 : 1;
}

}  // namespace
}  // namespace stencilgen::testing

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "usage: {} OUTDIR [RANDOM_PROGRAMS]\n", argv[0]);
    return 2;
  }
  return stencilgen::testing::Write(argv[1], argc > 2 ? std::atoi(argv[2]) : 60);
}
