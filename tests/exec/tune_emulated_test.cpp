// The tuner's own parts on CUDA code, with the emulator in the place of a GPU.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontend/read_program.h"
#include "support/catch.h"
#include "tools/tune/search_space.h"
#include "tools/tune/tuner.h"

namespace stencilgen {
namespace {

using namespace driver;

const char* const kText = R"(
parameter M=45, N=70, T=4;
iterator j, i;
double u[M,N], v[M,N];
copyin u, v;
stencil s (A, B) { B[j][i] = 0.25*(A[j-1][i] + A[j+1][i] + A[j][i-1] + A[j][i+1]); }
iterate T { s (u, v); swap u, v; }
copyout u;
)";

/// A program, ready to be tuned for the emulator.
struct Subject {
  Subject() {
    const auto parsed = ParseCommandLine({"tune", "p.idsl"});
    REQUIRE(std::holds_alternative<Options>(parsed));
    program.options = std::get<Options>(parsed);
    program.options.target = Target::Cuda;
    DiagnosticSink sink;
    loaded.source = std::make_unique<SourceFile>("p.idsl", kText);
    loaded.program = ReadProgram(*loaded.source, sink);
    REQUIRE(loaded.program);
    loaded.pipeline = MakePipelineOptions(program.options, loaded.program->interface);
    auto graph = CompileToGraph(*loaded.program, loaded.pipeline, sink);
    REQUIRE(graph);
    program.graph = *std::move(graph);
    program.loaded = &loaded;
    program.inputs.name = loaded.pipeline.program_name;
    program.inputs.executor = Executor::CudaEmulated;
    program.inputs.graph = &program.graph;
    auto inputs = PrepareInputs(program.graph, program.options);
    REQUIRE(std::holds_alternative<RunInputs>(inputs));
    program.inputs.timed = std::get<RunInputs>(std::move(inputs));
    REQUIRE_FALSE(PrepareChecks(program));
  }

  LoadedProgram loaded;
  TunedProgram program;
};

std::unique_ptr<Journal> OpenJournal(const std::filesystem::path& file) {
  auto opened = Journal::Open(file);
  REQUIRE(std::holds_alternative<std::unique_ptr<Journal>>(opened));
  return std::get<std::unique_ptr<Journal>>(std::move(opened));
}

TEST_CASE("candidates of CUDA code are compiled, checked, timed and written down") {
  Subject subject;
  const TemporaryDirectory folder;
  const auto journal = OpenJournal(folder.path() / "journal");
  Tuner tuner(subject.program, *journal, folder.path(), 600, 0, 2);
  const SearchWorld world = tuner.World();
  const std::vector<OptionSet> sets = {
      {},
      {{"--blockdim", "x=16,y=4"}, {"--shared-mem", "false"}, {"--time-tile", "1"}},
      {{"--blockdim", "x=32"}, {"--stream", "j"}, {"--time-tile", "3"}, {"--prefetch", "register"}},
      {{"--blockdim", "x=32,y=4"}, {"--stream", "j"}}};
  const std::vector<std::optional<double>> seconds = world.predict(sets);
  REQUIRE(seconds.size() == 4);
  CHECK(*seconds[0] > 0);
  CHECK_FALSE(seconds[3]);  // a streamed axis has one thread
  const std::vector<std::string> failures = world.prepare(sets);
  REQUIRE(failures.size() == 4);
  for (std::size_t k = 0; k < 3; ++k) CHECK(failures[k].empty());
  CHECK_FALSE(failures[3].empty());
  const std::vector<Visit> visits = world.measure({sets[0], sets[1], sets[2]});
  for (const Visit& visit : visits) {
    CHECK(visit.failure.empty());
    CHECK(visit.milliseconds > 0);
  }
  CHECK(tuner.journal_error().empty());
  int measured = 0;
  const auto again = [&] {
    std::ifstream file(folder.path() / "journal");
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }();
  for (const auto& line : again) measured += line.contains("ms") ? 1 : 0;
  CHECK(measured == 3);
}

TEST_CASE("a library that crashes, hangs or is wrong does not take the others with it") {
  Subject subject;
  const TemporaryDirectory folder;
  BuildOptions build;
  build.backend = Backend::Cpp;
  build.directory = folder.path();
  build.optimize = 0;
  subject.program.inputs.executor = Executor::Cpp;
  const auto library = [&](const std::string& stem, const std::string& body) {
    std::string error;
    const std::string name = subject.program.inputs.name;
    const auto path = HostLibrary::Compile(
        "extern \"C\" const char* " + name + "_error() { return \"out of luck\"; }\n" +
            "extern \"C\" int " + name +
            "_call(void* const* arrays, const void* const*, const int*) { (void)arrays; " + body +
            " }\n" + "extern \"C\" int " + name +
            "_time(void* const* arrays, const void* const*, const int*, int, int r, double* ms) {\n"
            "  (void)arrays; for (int k = 0; k < r; ++k) ms[k] = k + 1; " +
            body + " }\n",
        stem, build, error);
    INFO(error);
    REQUIRE_FALSE(path.empty());
    return path;
  };
  const auto good = library("good", "return 0;");
  const auto crash = library("crash", "*(volatile int*)nullptr = 1; return 0;");
  const auto hang = library("hang", "for (volatile int k = 0;;) k = k + 1; return 0;");
  const auto fail = library("fail", "return 3;");
  std::vector<VisitRequest> requests;
  for (const auto& path : {good, crash, good, hang, fail, good}) {
    requests.push_back({path, false, 0, 3, 2});
  }
  requests.push_back({good, true, 0, 0, 60});  // changes nothing: wrong
  requests.push_back({folder.path() / "nothing.so", false, 0, 1, 60});
  const std::vector<Visit> visits =
      RunVisits(subject.program.inputs, requests, [] { return false; });
  REQUIRE(visits.size() == 8);
  for (const std::size_t k : {0, 2, 5}) {
    CHECK(visits[k].failure.empty());
    CHECK(visits[k].milliseconds == 2);
  }
  CHECK(visits[1].failure.find("signal 11") != std::string::npos);
  CHECK(visits[3].failure.find("took longer than 2 s") != std::string::npos);
  CHECK(visits[4].failure == "out of luck");
  CHECK(visits[6].failure.find("`u` differs from the reference") != std::string::npos);
  CHECK_FALSE(visits[7].failure.empty());
  // Stopped at once, whatever is going on.
  for (const Visit& visit : RunVisits(subject.program.inputs, requests, [] { return true; })) {
    CHECK(visit.failure == "stopped");
  }
}

}  // namespace
}  // namespace stencilgen
