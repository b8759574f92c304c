#include <sstream>
#include <string>
#include <vector>

#include "driver/explain.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "frontend/parse.h"
#include "support/catch.h"

using namespace stencilgen;
using namespace stencilgen::driver;

namespace {

/// The lines of `--explain` for two statements on a 3D grid.
std::vector<std::string> Explained(const std::vector<std::string>& options) {
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
  const auto program = Parse(source, sink);
  REQUIRE(program);
  const PipelineOptions pipeline = MakePipelineOptions(all, *program);
  auto graph = CompileToGraph(*program, pipeline, sink);
  REQUIRE(graph);
  std::istringstream text(
      Explain(CompileToPlan(*std::move(graph), pipeline), ExplainedDevice(all)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the explanation has every kernel with its block, points and stream") {
  const auto lines = Explained({"--blockdim", "x=32,y=8,z=1", "--unroll", "j=2,i=2"});
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == "two: 2 kernels");
  CHECK(Contains(lines[1], " computes blur: block 32x8x1, 4 points a thread, no stream"));
  CHECK(Contains(lines[3], " computes twice: block 32x8x1, 4 points a thread, no stream"));
  const auto streamed = Explained({"--stream", "k"});
  CHECK(Contains(streamed[1], "1 point a thread, streams along k"));
  CHECK_FALSE(Contains(streamed[1], "chunks"));
  const auto chunks = Explained({"--concurrent-stream", "k:16"});
  CHECK(Contains(chunks[1], "streams along k in chunks of 16"));
}

TEST_CASE("the explanation says what of a kernel fits on the device") {
  // 8 warps a block: 8 blocks fill the 64 warps of sm_90, 6 the 48 of sm_89.
  const std::vector<std::string> block = {"--blockdim", "x=32,y=8,z=1"};
  CHECK(Contains(Explained(block)[2], "8 blocks an SM, 64 of 64 warps (limit: warps)"));
  const auto other = Explained({"--blockdim", "x=32,y=8,z=1", "--arch", "sm_89"});
  CHECK(Contains(other[2], "6 blocks an SM, 48 of 48 warps (limit: warps)"));
  // 1 warp a block: the SM's number of blocks is the limit.
  CHECK(Contains(Explained({"--blockdim", "x=32,y=1,z=1"})[2],
                 "32 blocks an SM, 32 of 64 warps (limit: blocks an SM)"));
  // No description, no such line.
  CHECK(Explained({"--arch", "sm_123"}).size() == 3);
}
