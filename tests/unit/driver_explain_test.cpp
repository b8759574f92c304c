#include <sstream>
#include <string>
#include <vector>

#include "driver/explain.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "driver_options_tools.h"
#include "frontend/read_program.h"
#include "support/catch.h"
#include "tools/explain/explain_page.h"

using namespace stencilgen;
using namespace stencilgen::driver;
using stencilgen::testing::Contains;

namespace {

/// The lines of `--explain` for two statements on a 3D grid.
std::vector<std::string> Explained(std::vector<std::string> options, bool plain = true) {
  if (plain) options.insert(options.end(), {"--fusion", "none", "--shared-mem", "false"});
  const SourceFile source("two.idsl", R"(
parameter L=8, M=8, N=8;
iterator k, j, i;
double a[L,M,N], b[L,M,N], c[L,M,N];
copyin a;
stencil blur (B, A) { B[k][j][i] = A[k-1][j][i] + A[k][j][i] + A[k+1][j][i]; }
stencil twice (C, B) { C[k][j][i] = 2.0*B[k][j][i]; }
blur (b, a);
twice (c, b);
copyout c;
)");
  std::vector<std::string> arguments = {"two.idsl", "--explain"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto parsed = ParseCommandLine(arguments);
  REQUIRE(std::holds_alternative<Options>(parsed));
  const auto& all = std::get<Options>(parsed);
  CHECK(all.explain);
  DiagnosticSink sink;
  const auto program = ReadProgram(source, sink);
  REQUIRE(program);
  const PipelineOptions pipeline = MakePipelineOptions(all, program->interface);
  auto graph = CompileToGraph(*program, pipeline, sink);
  REQUIRE(graph);
  std::istringstream text(
      Explain(CompileToChosenPlan(*std::move(graph), pipeline), ExplainedDevice(all)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("the explanation has every kernel with its block, points and stream") {
  const auto lines = Explained({"--blockdim", "x=32,y=8,z=1", "--unroll", "j=2,i=2"});
  REQUIRE(lines.size() == 7);
  CHECK(Contains(lines[0], "two: 2 kernels, "));
  CHECK(Contains(lines[0], " predicted on H200 SXM with L=8, M=8, N=8"));
  CHECK(Contains(lines[1], " computes blur: block 32x8x1, 4 points a thread, no stream"));
  CHECK(Contains(lines[4], " computes twice: block 32x8x1, 4 points a thread, no stream"));
  const auto streamed = Explained({"--stream", "k"});
  CHECK(Contains(streamed[1], "1 point a thread, streams along k"));
  CHECK_FALSE(Contains(streamed[1], "chunks"));
  const auto chunks = Explained({"--concurrent-stream", "k:16"});
  CHECK(Contains(chunks[1], "streams along k in chunks of 16"));
}

TEST_CASE("the explanation counts bytes by hand") {
  const auto lines = Explained({});
  // blur: 6 planes of 64 points read 3 elements each and store one; 8 planes must be read.
  CHECK(Contains(lines[2], "32 bytes loaded and stored a point, at least 18.7 must be"));
  CHECK(Contains(lines[5], "16 bytes loaded and stored a point, at least 16 must be"));
}

TEST_CASE("the explanation says what of a kernel fits on the device") {
  // 8 warps a block; fewer than 32 registers a thread would fill all 64 warps.
  const std::vector<std::string> block = {"--blockdim", "x=32,y=8,z=1"};
  CHECK(Contains(Explained(block)[2], " of 64 warps (limit: "));
  const auto other = Explained({"--blockdim", "x=32,y=8,z=1", "--arch", "sm_89"});
  CHECK(Contains(other[2], "of 48 warps (limit: "));
  // 1 warp a block: the SM's number of blocks is the limit.
  CHECK(Contains(Explained({"--blockdim", "x=32,y=1,z=1"})[2],
                 "32 blocks an SM, 32 of 64 warps (limit: blocks an SM)"));
  // No description: what is computed, and no predictions.
  CHECK(Explained({"--arch", "sm_123"}).size() == 3);
}

TEST_CASE("the explanation says how a tile is held, and which schedules lost") {
  const auto given = Explained(
      {"--shared-mem", "true", "--fusion", "max", "--stream", "k", "--blockdim", "x=32,y=4",
       "--unroll", "k=1,j=1,i=1", "--barriers", "level", "--prefetch", "none"},
      false);
  REQUIRE(given.size() >= 5);
  CHECK(Contains(given[1], " computes blur, twice: block 32x4x1, 1 point a thread"));
  CHECK(Contains(given[2], "a block stores 4 of 4 points along j, 32 of 32 points along i"));
  CHECK(Contains(given[2], "0 in shared memory (0 bytes), 0 barriers a step"));
  const auto open = Explained({}, false);
  CHECK(Contains(open.back(), "  the best of "));
  CHECK(Contains(open.back(), " schedules"));
}

TEST_CASE("the page has the work, the units and what would change the plan") {
  const SourceFile source("two.idsl", R"(
parameter M=4096, N=4096, T=100;
iterator j, i;
float u[M,N], v[M,N];
copyin u;
stencil blur (v, u) { v[j][i] = u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]; }
iterate T {
  blur (v, u);
  blur (u, v);
}
copyout u;
)");
  DiagnosticSink sink;
  PipelineOptions options;
  options.choose = true;
  const auto graph = CompileToGraph(source, options, sink);
  REQUIRE(graph);
  const ChosenPlan chosen = CompileToChosenPlan(*graph, options);
  const std::string page = ExplainPage(*graph, chosen, options, machine::DefaultGpu());
  for (const char* part : {"\nwork\n", "  points computed   3.35 Gpoints, 3 flop a point\n",
                           "  bytes at least    134 MB, ", "\nwhat each would take alone\n",
                           "\nwhat would change it\n", "  --fusion none ", "  --time-tile 1 ",
                           "  --shared-mem false ", "  twice the memory bandwidth "}) {
    INFO(page);
    INFO(part);
    CHECK(Contains(page, part));
  }
  // A forced choice is at best what was chosen freely.
  std::istringstream lines(page);
  int forced = 0;
  for (std::string line; std::getline(lines, line);) {
    // Fused time steps are compared at another number of turns, which they may divide.
    if (line.compare(0, 4, "  --") != 0 || Contains(line, "--time-tile")) continue;
    INFO(line);
    CHECK_FALSE(Contains(line, ", -"));
    ++forced;
  }
  CHECK(forced >= 5);
}

TEST_CASE("what the user has fixed is not offered as a change") {
  const SourceFile source("one.idsl",
                          "parameter M=512, N=512; iterator j, i; float u[M,N], v[M,N]; copyin u;"
                          "stencil s (v, u) { v[j][i] = u[j-1][i] + u[j+1][i]; }"
                          "s (v, u); copyout v;");
  DiagnosticSink sink;
  PipelineOptions options;
  options.choose = true;
  options.given.shared_memory = true;
  options.schedule.shared_memory = true;
  const auto graph = CompileToGraph(source, options, sink);
  REQUIRE(graph);
  const std::string page =
      ExplainPage(*graph, CompileToChosenPlan(*graph, options), options, machine::DefaultGpu());
  INFO(page);
  CHECK_FALSE(Contains(page, "--shared-mem"));
  CHECK_FALSE(Contains(page, "--time-tile"));
  CHECK_FALSE(Contains(page, "--fusion"));
  CHECK(Contains(page, "  --stream j "));
}

TEST_CASE("explain is a command of its own with the options of plans") {
  const auto parsed = ParseCommandLine({"explain", "a.idsl", "-D", "N=4", "--time-tile", "2"});
  REQUIRE(std::holds_alternative<Options>(parsed));
  CHECK(std::get<Options>(parsed).command == Command::Explain);
  CHECK(std::get<Options>(parsed).time_tile == 2);
  const auto cpp = ParseCommandLine({"explain", "a.idsl", "--target", "cpp", "--tile", "j=8"});
  REQUIRE(std::holds_alternative<Options>(cpp));
  CHECK(std::get<Options>(cpp).target == Target::Cpp);
  const auto error = [](const std::vector<std::string>& arguments) {
    const auto wrong = ParseCommandLine(arguments);
    REQUIRE(std::holds_alternative<UsageError>(wrong));
    return std::get<UsageError>(wrong);
  };
  CHECK(error({"explain"}).hint == "stencilgen explain FILE [options]");
  const UsageError out = error({"explain", "a.idsl", "--header", "a.h"});
  CHECK(out.message == "`--header` is no option of `stencilgen explain FILE`");
  CHECK(out.hint == "it belongs to `stencilgen FILE`");
  CHECK(error({"explain", "a.idsl", "--verify"}).hint == "it belongs to `stencilgen run FILE`");
}

TEST_CASE("options of recompilation that contradict others are errors") {
  const auto message = [](const std::vector<std::string>& arguments) {
    const auto wrong = ParseCommandLine(arguments);
    REQUIRE(std::holds_alternative<UsageError>(wrong));
    return std::get<UsageError>(wrong).message;
  };
  CHECK(Contains(message({"a.idsl", "--recompile-bypass", "2"}), "--fusion-recompile"));
  CHECK(Contains(message({"a.idsl", "--max-spill", "8"}), "--fusion-recompile"));
  CHECK(Contains(message({"a.idsl", "--fusion", "max", "--fusion-recompile"}), "greedy"));
  CHECK(Contains(message({"a.idsl", "--fusion-recompile", "--recompile-bypass", "0"}),
                 "--recompile-bypass"));
  CHECK(Contains(message({"a.idsl", "--target", "cpp", "--fusion-recompile"}), "CUDA"));
}
