// Turns of loops as graphs: programs on the emulated GPU compute what the interpreter does, by as
// many launches as they should.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "plan/turn_graph.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/prng.h"
#include "support/program_run.h"
#include "support/random_loop.h"
#include "support/schedule_generator.h"
#include "support/temporary_directory.h"

namespace stencilgen::testing {
namespace {

using Count = unsigned long long;

constexpr const char* kHead =
    "parameter M, N, T, K;\niterator j, i;\n"
    "double u[M,N], v[M,N], w[M,N], x[M,N], y[M,N], h[300], s;\ncopyin u, v, w, x, y, h, s;\n"
    "stencil relax (v, u) {\n"
    "  v[j][i] = 0.125*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]) + 0.25*v[j][i];\n"
    "}\n"
    "stencil halve (v, u) { v[j][i] = 0.5*u[j][i] + 0.25*v[j][i]; }\n"
    "stencil smooth (u) { u[j][i] = 0.25*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]); }\n"
    "stencil swirl (u) {\n"  // never at rest
    "  u[j][i] = 0.9*u[j][i] + 0.3*(u[j-1][i] - u[j+1][i]) + 0.2*(u[j][i-1] - u[j][i+1]);\n"
    "}\n"
    "stencil grow (u) { u[j][i] = 1.5*u[j][i] + 0.5; }\n"
    "stencil fade (s) { s = 0.5*s; }\n"
    "stencil scale (u, s) { u[j][i] *= 1.0 + s; }\n";

/// For loops that name their turn.
constexpr const char* kInject = "stencil inject (u, h) { [1:1][1:1] : u[j][i] += h[t]; }\n";

std::string TextOf(const std::string& loop) {
  const bool injects = loop.find("inject") != std::string::npos;
  return fmt::format("{}{}{}\ncopyout u, v, w, x, y;\n", kHead, injects ? kInject : "", loop);
}

/// A loop that has graphs of periods: `launches` and `graphs` say for [T-1] turns what there is of
/// each.
struct Case {
  const char* name;
  const char* text;
  std::int64_t launches;    ///< of a turn of the outer loop
  std::int64_t period = 1;  ///< turns; 0: no graphs
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> kCases = {
      {"still", "iterate [T-1] { grow (u); }", 1, 1},
      {"two", "iterate [T-1] { relax (v, u); swap u, v; }", 1, 2},
      {"in_place", "iterate [T-1] { smooth (u); }", 1, 2},
      {"three", "iterate [T-1] { relax (w, u); swap u, w; swap w, v; }", 1, 3},
      {"six", "iterate [T-1] { relax (w, u); halve (y, x); swap u, w; swap w, v; swap x, y; }", 2,
       6},
      {"nested", "iterate [T-1] { iterate 3 { relax (v, u); swap u, v; } grow (w); }", 4, 2},
      {"deeper", "iterate [T-1] { iterate 2 { iterate 2 { relax (v, u); swap u, v; } grow (w); } }",
       6, 1},
      {"turn", "iterate t : [T-1] { relax (v, u); inject (v, h); swap u, v; }", 2, 0},
      {"scalar", "iterate [T-1] { fade (s); scale (u, s); }", 1, 0},
  };
  return kCases;
}

TestProgram ProgramOf(const Case& c) {
  TestProgram program;
  program.name = c.name;
  program.text = TextOf(c.text);
  program.schedule.shared_memory = false;
  for (const std::int64_t turns : {1, 2, 3, 4, 5, 7, 8, 14, 20, 65, 66, 67, 130, 131, 200}) {
    program.sizes.push_back({{"M", 5 + turns % 4}, {"N", 9 - turns % 5}, {"T", turns}, {"K", 2}});
  }
  return program;
}

/// The programs as one library of the emulated GPU.
class Library {
 public:
  explicit Library(const std::vector<TestProgram>& programs,
                   const driver::PipelineOptions& wanted = {}) {
    std::string text;
    for (const TestProgram& program : programs) {
      driver::PipelineOptions options = OptionsOf(program);
      options.graphs = wanted.graphs;
      options.codegen.resident = wanted.codegen.resident;
      options.device = wanted.device;
      options.codegen.function = program.name;
      options.codegen.fp = FpMode::Strict;
      options.verify = true;
      DiagnosticSink sink;
      const SourceFile source(program.name + ".idsl", program.text);
      auto graph = driver::CompileToGraph(source, options, sink);
      INFO(RenderText(source, sink.diagnostics(), 5, false));
      REQUIRE(graph);
      graphs_.push_back(*graph);
      driver::Compiled compiled =
          driver::EmitCode(driver::CompileToPlan(*std::move(graph), options), source, options);
      text += compiled.text + codegen::EmitTrampoline(compiled.module, options.codegen);
    }
    driver::BuildOptions build;
    build.backend = driver::Backend::CudaEmulated;
    build.fp = FpMode::Strict;
    build.optimize = 1;
    build.directory = directory_.path();
    build.flags = {"-Wall", "-Wextra", "-Wshadow", "-Werror"};
    std::string error;
    library_ = driver::HostLibrary::Build(text, "turn_graphs", build, error);
    INFO(error);
    REQUIRE(library_ != nullptr);
  }

  const graph::Graph& graph(std::size_t program) const { return graphs_[program]; }

  /// Calls the program. Returns its status.
  int Call(const TestProgram& program, const ProgramRun& run,
           std::vector<std::vector<std::uint8_t>>& memory) const {
    memory.clear();
    std::vector<void*> arrays;
    for (const RunObject& array : run.arrays) memory.push_back(array.bytes);
    for (auto& bytes : memory) arrays.push_back(bytes.data());
    std::vector<const void*> scalars;
    for (const RunObject& scalar : run.scalars) scalars.push_back(scalar.bytes.data());
    Function<void()>("stencilgen_emulator_reset")();
    return library_->Call(program.name, arrays, scalars,
                          {run.parameters.begin(), run.parameters.begin() + 4});
  }

  /// The same, which must succeed with what the interpreter says.
  void Check(const TestProgram& program, const ProgramRun& run) const {
    std::vector<std::vector<std::uint8_t>> memory;
    const int status = Call(program, run, memory);
    INFO(library_->Error(program.name));
    CHECK(status == 0);
    for (std::size_t n = 0; n < memory.size(); ++n) {
      CHECK(stencilgen::testing::Compare(run.arrays[n], memory[n], run.reference, 0) == "");
    }
    CHECK(LiveBytes() == 0);
  }

  Count Graphs() const { return Function<Count()>("stencilgen_emulator_graph_launches")(); }
  Count Launches() const {
    Count counters[12] = {};
    Function<void(Count*)>("stencilgen_emulator_counters")(counters);
    return counters[10];
  }
  Count LiveBytes() const { return Function<Count()>("stencilgen_emulator_live_bytes")(); }
  /// The program's arrays kept from run to run: the result of `runs` runs, where every third one
  /// has another array for `w`. `graphs`: launched in each.
  std::vector<std::vector<std::uint8_t>> Kept(const TestProgram& program, const ProgramRun& run,
                                              int runs, std::vector<Count>& graphs) const {
    using Arrays = struct OpaqueArrays*;
    const auto name = [&](const char* what) { return program.name + "_arrays_" + what; };
    const auto size = [&](std::size_t n) { return run.parameters[n]; };
    Arrays arrays = nullptr;
    CHECK(Function<int(Arrays*, long long, long long, long long, long long)>(name("create"))(
              &arrays, size(0), size(1), size(2), size(3)) == 0);
    const auto upload =
        Function<int(Arrays, int, const void*, const long long*, void*)>(name("upload"));
    const auto download =
        Function<int(Arrays, int, void*, const long long*, void*)>(name("download"));
    const auto bind = Function<int(Arrays, int, void*)>(name("bind"));
    const auto pointer = Function<void*(Arrays, int)>(name("pointer"));
    std::vector<std::vector<std::uint8_t>> memory;
    for (std::size_t n = 0; n < run.arrays.size(); ++n) {
      memory.push_back(run.arrays[n].bytes);
      CHECK(upload(arrays, static_cast<int>(n), memory[n].data(), nullptr, nullptr) == 0);
    }
    // Arrays of one shape: `w` and `y` change places.
    void* const own[] = {pointer(arrays, 2), pointer(arrays, 4)};
    const double scalar = *reinterpret_cast<const double*>(run.scalars[0].bytes.data());
    for (int n = 0; n < runs; ++n) {
      CHECK(bind(arrays, 2, own[n % 3 == 2 ? 1 : 0]) == 0);
      CHECK(bind(arrays, 4, own[n % 3 == 2 ? 0 : 1]) == 0);
      Function<void()>("stencilgen_emulator_reset")();
      const int status = Function<int(Arrays, double, void*)>(name("run"))(arrays, scalar, nullptr);
      INFO(library_->Error(program.name));
      CHECK(status == 0);
      graphs.push_back(Graphs());
    }
    for (std::size_t n = 0; n < run.arrays.size(); ++n) {
      CHECK(download(arrays, static_cast<int>(n), memory[n].data(), nullptr, nullptr) == 0);
    }
    Function<void(Arrays)>(name("destroy"))(arrays);
    CHECK(LiveBytes() == 0);
    return memory;
  }

  void FailCall(long long calls) const {
    Function<void(long long)>("stencilgen_emulator_fail_call")(calls);
  }
  std::string Error(const std::string& name) const { return library_->Error(name); }

 private:
  template <typename Signature>
  Signature* Function(const std::string& name) const {
    void* const symbol = library_->Symbol(name);
    REQUIRE(symbol != nullptr);
    return reinterpret_cast<Signature*>(symbol);
  }

  TemporaryDirectory directory_;
  std::vector<graph::Graph> graphs_;
  std::unique_ptr<driver::HostLibrary> library_;
};

std::vector<TestProgram> Programs() {
  std::vector<TestProgram> programs;
  for (const Case& c : Cases()) programs.push_back(ProgramOf(c));
  return programs;
}

/// As many turns as about 64 launches.
std::int64_t TurnsOfGraph(const Case& c) {
  std::int64_t turns = c.period;
  while (turns * c.launches < 64) turns += c.period;
  return turns;
}

TEST_CASE("loops as graphs compute the same, by as many launches as they should") {
  driver::PipelineOptions wanted;
  wanted.graphs = plan::GraphUse::Always;
  const std::vector<TestProgram> programs = Programs();
  const Library library(programs, wanted);
  Count all = 0;
  for (std::size_t n = 0; n < programs.size(); ++n) {
    const Case& c = Cases()[n];
    for (std::size_t run = 0; run < programs[n].sizes.size(); ++run) {
      const std::int64_t turns = programs[n].sizes[run].at("T") - 1;
      INFO(c.name << ", " << turns << " turns");
      library.Check(programs[n], PrepareRun(library.graph(n), programs[n], run, n));
      std::int64_t graphs = 0;
      if (c.period > 0 && turns > c.period) {
        const std::int64_t each = std::min(TurnsOfGraph(c), (turns - 1) / c.period * c.period);
        graphs = (turns - 1) / each;
      }
      CHECK(library.Graphs() == static_cast<Count>(graphs));
      // What surrounds the domain is copied before the loop, by a launch.
      const Count launches = library.Launches();
      CHECK(launches >= static_cast<Count>(turns * c.launches));
      CHECK(launches <= static_cast<Count>(turns * c.launches) + 4);
      all += library.Graphs();
    }
  }
  CHECK(all > 100);
}

TEST_CASE("the last launch of a pipeline, which has fewer turns, is in no graph") {
  driver::PipelineOptions wanted;
  wanted.graphs = plan::GraphUse::Always;
  TestProgram program = ProgramOf({"pipeline", "iterate T { swirl (u); }", 1});
  const auto timed = ReadSchedule(
      "block=32,1,1 unroll=2,1,1 stream=0:0 time_tile=2 fusion=max shared=yes shuffle=yes "
      "stages=4");
  REQUIRE(timed);
  SetSchedule(&program, *timed);
  for (auto& sizes : program.sizes) sizes["M"] += 20;
  // Of 129 launches the first goes alone and the last is another one: one graph of 64, and 63.
  program.sizes.push_back({{"M", 12}, {"N", 9}, {"T", 2 * (128 * 4 + 1) + 1}, {"K", 2}});
  const Library library({program}, wanted);
  Count all = 0;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    const std::int64_t turns = program.sizes[run].at("T");
    INFO(turns << " turns");
    library.Check(program, PrepareRun(library.graph(0), program, run, 11));
    // Eight turns a launch, two launches a period.
    const std::int64_t alike = turns / 2 / 4;
    CHECK(library.Graphs() == (alike >= 3 ? 1U : 0U));
    all += library.Graphs();
  }
  CHECK(all >= 6);
}

TEST_CASE("loops are graphs from some turns on, as long as they are small") {
  driver::PipelineOptions wanted;
  wanted.device = machine::DefaultGpu();
  wanted.device->memory_achieved = 8000 / 8e-6;  // a launch hides behind 8000 bytes
  TestProgram program = ProgramOf(Cases()[0]);
  program.sizes = {{{"M", 20}, {"N", 25}, {"T", 1025}, {"K", 2}},  // 8000 bytes
                   {{"M", 20}, {"N", 25}, {"T", 1024}, {"K", 2}},  // a turn less
                   {{"M", 20}, {"N", 26}, {"T", 1025}, {"K", 2}},  // a column more
                   {{"M", 2}, {"N", 3}, {"T", 1200}, {"K", 2}}};
  const Library library({program}, wanted);
  const std::vector<Count> expected = {15, 0, 0, 18};
  for (std::size_t run = 0; run < expected.size(); ++run) {
    library.Check(program, PrepareRun(library.graph(0), program, run, 7));
    INFO("run " << run);
    CHECK(library.Graphs() == expected[run]);
  }
}

TEST_CASE("loops are no graphs where nobody wants them") {
  driver::PipelineOptions wanted;
  wanted.graphs = plan::GraphUse::Never;
  TestProgram program = ProgramOf(Cases()[0]);
  program.sizes = {{{"M", 4}, {"N", 5}, {"T", 1500}, {"K", 2}}};
  const Library library({program}, wanted);
  library.Check(program, PrepareRun(library.graph(0), program, 0, 7));
  CHECK(library.Graphs() == 0);
}

TEST_CASE("graphs are kept with the arrays, for as long as they are the same") {
  driver::PipelineOptions wanted;
  wanted.codegen.resident = true;
  std::vector<TestProgram> programs = {
      ProgramOf({"kept", "iterate T { relax (v, u); swap u, v; }", 1}),
      ProgramOf({"bound", "iterate T { relax (w, u); swap u, v; swap u, w; }", 1})};
  for (TestProgram& program : programs) {
    program.sizes = {{{"M", 6}, {"N", 7}, {"T", 450}, {"K", 2}}};
  }
  const Library library(programs, wanted);
  wanted.graphs = plan::GraphUse::Never;
  const Library plain(programs, wanted);
  constexpr int kRuns = 12;
  for (std::size_t n = 0; n < programs.size(); ++n) {
    const ProgramRun run = PrepareRun(library.graph(n), programs[n], 0, 3);
    std::vector<Count> graphs;
    std::vector<Count> none;
    CHECK(library.Kept(programs[n], run, kRuns, graphs) ==
          plain.Kept(programs[n], run, kRuns, none));
    CHECK(none == std::vector<Count>(kRuns, 0));
    INFO(programs[n].name << ": " << fmt::format("{}", fmt::join(graphs, " ")));
    // From the third run on there were 1024 turns with the same arrays; another `w` begins anew.
    std::vector<Count> expected(kRuns, n == 0 ? 7 : 0);
    if (n == 0) expected[0] = expected[1] = 0;
    CHECK(graphs == expected);
  }
}

TEST_CASE("loops in loops keep their graphs too") {
  driver::PipelineOptions wanted;
  TestProgram program =
      ProgramOf({"inner", "iterate K { iterate T { relax (v, u); swap u, v; } grow (u); }", 1});
  program.sizes = {{{"M", 6}, {"N", 7}, {"T", 300}, {"K", 6}}};
  const Library library({program}, wanted);
  library.Check(program, PrepareRun(library.graph(0), program, 0, 3));
  // Three times 300 turns do not pay; of the other three each is 1 turn, 4 graphs of 64, and 43.
  CHECK(library.Graphs() == 3 * 4);
}

TEST_CASE("whatever fails of a program with graphs is said, and nothing is left") {
  driver::PipelineOptions wanted;
  wanted.graphs = plan::GraphUse::Always;
  TestProgram program = ProgramOf(Cases()[1]);
  program.sizes = {{{"M", 5}, {"N", 6}, {"T", 12}, {"K", 2}}};
  const Library library({program}, wanted);
  const ProgramRun run = PrepareRun(library.graph(0), program, 0, 3);
  std::vector<std::vector<std::uint8_t>> memory;
  int failures = 0;
  for (; failures < 200; ++failures) {
    library.FailCall(failures);
    const int status = library.Call(program, run, memory);
    library.FailCall(-1);
    CHECK(library.LiveBytes() == 0);
    if (status == 0) break;
    CHECK_FALSE(library.Error(program.name).empty());
  }
  CHECK(failures > 12);
  CHECK(failures < 200);
  library.Check(program, run);
}

/// Fixed and random loops, in random schedules.
std::vector<TestProgram> RandomPrograms(std::uint64_t seed) {
  Prng prng(seed);
  std::vector<TestProgram> programs;
  for (const Case& c : Cases()) {
    TestProgram program = ProgramOf(c);
    program.sizes.clear();
    for (const std::int64_t turns : {1, 4, 5, 9, 70}) {
      program.sizes.push_back(
          {{"M", prng.Range(1, 20)}, {"N", prng.Range(1, 40)}, {"T", turns}, {"K", 3}});
    }
    SetSchedule(&program, RandomSchedule(&prng, 2));
    programs.push_back(std::move(program));
  }
  const std::vector<std::string> bodies = {
      "iterate K { iterate [T-1] { relax (v, u); swap u, v; } grow (u); }",
      "iterate [T-1] { relax (v, u); swap u, v; } iterate K { smooth (u); halve (w, u); swap u, w; "
      "}",
      "iterate t : [T-1] { inject (u, h); iterate 9 { relax (v, u); swap u, v; } }",
      "iterate t : [T-1] { relax (v, u); swap u, v; every 3 : grow (w); }",
  };
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    TestProgram program = ProgramOf(Cases()[0]);
    program.name = fmt::format("body{}", n);
    program.text = TextOf(bodies[n]);
    program.sizes.resize(9);
    SetSchedule(&program, RandomSchedule(&prng, 2));
    programs.push_back(std::move(program));
  }
  for (std::uint64_t n = 0; n < 30; ++n) {
    TestProgram program = RandomLoopProgram(seed * 1000 + n);
    for (auto& sizes : program.sizes) sizes["T"] *= prng.Range(1, 9);
    const int rank = static_cast<int>(program.sizes[0].size()) - 1;
    SetSchedule(&program, RandomSchedule(&prng, rank));
    programs.push_back(std::move(program));
  }
  return programs;
}

TEST_CASE("random loops as graphs agree with the interpreter") {
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  options.graphs = plan::GraphUse::Always;
  for (const char* variant : {"cuda-strict", "hip-strict"}) {
    options.only = variant;
    const std::string failures = Describe(RunDifferential(RandomPrograms(5), options));
    INFO(failures);
    CHECK(failures.empty());
  }
}

}  // namespace
}  // namespace stencilgen::testing
