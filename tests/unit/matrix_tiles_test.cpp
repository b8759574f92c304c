// Which kernels have matrix tiles, what is said of wrong ones, and what `--explain` says.
#include "plan/matrix_tiles.h"

#include <algorithm>
#include <string>
#include <vector>

#include "driver/choose_schedule.h"
#include "driver/explain.h"
#include "driver/explain_nests.h"
#include "driver/pipeline.h"
#include "graph/pointwise_loops.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/source.h"

using namespace stencilgen;
using Catch::Matchers::Contains;

namespace {

/// Arrays, and a loop over k around a call of a stencil with that body.
std::string Program(const std::string& body, const std::string& loop = "iterate k : K { ",
                    const std::string& more = "") {
  return "parameter M=600, N=700, K=500;\n"
         "iterator i, j;\n"
         "double C[M,N], D[M,N], A[M,K], B[K,N], T[N,M], e;\n"
         "copyin C, D, A, B, T, e;\n"
         "stencil s (C, D, A, B, T, e) {\n" +
         body + "}\n" + loop + "[1:M-2][1:N-2] : s (C, D, A, B, T, e);" + more +
         (loop.empty() ? "" : " }") + "\ncopyout C, D;\n";
}

driver::PipelineOptions Options(driver::Target target) {
  driver::PipelineOptions options;
  options.target = target;
  options.choose = true;
  options.codegen.fp = FpMode::Strict;
  options.verify = true;
  return options;
}

driver::ChosenPlan Choose(const std::string& text, const driver::PipelineOptions& options) {
  const SourceFile source("matrix.idsl", text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph);
  return driver::CompileToChosenPlan(*std::move(graph), options);
}

driver::ChosenPlan Choose(const std::string& text, driver::Target target) {
  return Choose(text, Options(target));
}

/// The first matrix tile. Requires: there is one.
const plan::MatrixTile& TileOf(const plan::Plan& plan) {
  const auto at =
      std::find_if(plan.kernels.begin(), plan.kernels.end(),
                   [](const plan::Kernel& kernel) { return kernel.matrix.has_value(); });
  REQUIRE(at != plan.kernels.end());
  return *at->matrix;
}

int Tiles(const plan::Plan& plan) {
  int tiles = 0;
  for (const plan::Kernel& kernel : plan.kernels) tiles += kernel.matrix ? 1 : 0;
  return tiles;
}

constexpr const char* kProduct = "C[i][j] = C[i][j] + A[i][k]*B[k][j];\n";

std::string Problems(const plan::Plan& plan) {
  std::string all;
  for (const std::string& problem : plan::Verify(plan)) all += problem + "; ";
  return all;
}

}  // namespace

TEST_CASE("kernels whose points do not meet in a loop run all its turns, on both targets") {
  const auto target = GENERATE(driver::Target::Cuda, driver::Target::Cpp);
  const auto tiles = [&](const std::string& text) { return Tiles(Choose(text, target).plan); };
  CHECK(tiles(Program(kProduct)) == 1);
  CHECK(tiles(Program("C[i][j] = min(C[i][j], A[i][k] + B[k][j]);\n")) == 1);
  CHECK(tiles(Program("C[i][j] = C[i][j] + A[i][k]*B[k][j]; D[i][j] = D[i][j] - A[i][k];\n")) == 2);
  CHECK(tiles(Program(kProduct, "iterate 3 { iterate k : K { ", " }")) == 1);
  CHECK(tiles(Program("C[i][j] = T[j][i];\n", "")) == 1);
  // Points that meet, elements that depend on the turn, and loops that may end early.
  CHECK(tiles(Program("C[i][j] = C[i][j-1] + A[i][k]*B[k][j];\n")) == 0);
  CHECK(tiles(Program("C[i][j] = C[i][j] + D[i][j]*B[k][j]; D[i][j] = D[i][j] + C[i-1][j];\n")) ==
        0);
  CHECK(tiles(Program("C[i][j] = C[i][j] + A[i][k];\n", "iterate k : K { ", " swap C, D;")) == 0);
  CHECK(tiles(Program("C[i][j] = C[i][j] + D[i][j];\n", "iterate K until e > 0.5 { ")) == 0);
  CHECK(tiles(Program("C[i][j] = D[i][j-1] + D[i][j+1];\n", "")) == 0);
}

TEST_CASE("given blocks and points are those of matrix tiles; streams and turns leave them alone") {
  using Sizes = std::vector<int>;
  const std::string product = Program(kProduct);
  driver::PipelineOptions options = Options(driver::Target::Cuda);
  const auto tile = [&] { return TileOf(Choose(product, options).plan); };
  CHECK(tile().threads == Sizes{16, 16});
  CHECK(tile().points == Sizes{2, 2});  // 600x700 points are few for a GPU
  options.given.block = {true, false, false};
  options.schedule.block = {32, 1, 1};
  CHECK(tile().threads == Sizes{8, 32});
  options.given.block = {true, true, false};
  options.schedule.block = {64, 16, 1};
  CHECK(tile().threads == Sizes{16, 64});
  CHECK(tile().points == Sizes{1, 1});
  options.unroll_given = {true, false, false};
  options.schedule.unroll = {3, 1, 1};
  CHECK(tile().points == Sizes{1, 3});
  options.given.block = {false, true, false};
  CHECK(tile().threads == Sizes{16, 16});
  CHECK(TileOf(Choose(Program("C[i][j] = T[j][i];\n", ""), options).plan).threads == Sizes{16, 16});

  options = Options(driver::Target::Cuda);
  options.given.stream = options.given.time_tile = true;
  options.schedule.stream = plan::Stream{0, 0};
  options.time_tile = 4;
  CHECK(tile().threads == Sizes{16, 16});
  options.given.shared_memory = true;
  options.schedule.shared_memory = false;
  CHECK(Tiles(Choose(product, options).plan) == 0);

  options = Options(driver::Target::Cpp);
  CHECK(tile().points == Sizes{4, 2});
  options.given.time_tile = true;
  options.time_tile = GENERATE(1, 4);
  CHECK(tile().points == Sizes{4, 2});
  options.unroll_given = {false, true, false};
  options.schedule.unroll = {1, 6, 1};
  CHECK(tile().points == Sizes{6, 2});
  options.nests.tile = {0, 64};
  CHECK(Tiles(Choose(product, options).plan) == 0);
}

TEST_CASE("a matrix tile that does not fit its kernel is found") {
  const driver::ChosenPlan chosen = Choose(Program(kProduct), driver::Target::Cuda);
  CHECK(Problems(chosen.plan).empty());
  const auto broken = [&](auto change) {
    plan::Plan plan = chosen.plan;
    for (plan::Kernel& kernel : plan.kernels) {
      if (kernel.matrix) change(kernel);
    }
    return Problems(plan);
  };
  CHECK_THAT(broken([](plan::Kernel& kernel) { kernel.matrix->boxes[0].extents[0] = 3; }),
             Contains("is too small"));
  CHECK_THAT(broken([](plan::Kernel& kernel) { kernel.matrix->boxes[1].byte_offset = 8; }),
             Contains("meets another one"));
  CHECK_THAT(broken([](plan::Kernel& kernel) { kernel.matrix->points[0] = 0; }),
             Contains("a matrix tile of no size"));
  CHECK_THAT(broken([](plan::Kernel& kernel) { kernel.matrix->points.pop_back(); }),
             Contains("a matrix tile of no size"));
  CHECK_THAT(broken([](plan::Kernel& kernel) {
               kernel.matrix->loops.push_back(kernel.matrix->loops.front());
             }),
             Contains("loops that are not around it"));
  CHECK_THAT(broken([](plan::Kernel& kernel) {
               kernel.matrix->boxes[0].access.indices[0].coefficient = 2;
             }),
             Contains("is not read in boxes"));
}

TEST_CASE("explain says what matrix tiles are, and that libraries are faster") {
  const driver::ChosenPlan grid = Choose(Program(kProduct), driver::Target::Cuda);
  const std::string of_grid = driver::Explain(grid);
  CHECK_THAT(of_grid, Contains("all turns of k, blocks of") && Contains("in shared memory A") &&
                          Contains("a library of linear algebra is faster"));
  CHECK_THAT(of_grid, Contains("launched once"));
  const driver::ChosenPlan nest = Choose(Program(kProduct), driver::Target::Cpp);
  CHECK_THAT(driver::ExplainNests(nest, machine::DefaultCpu()),
             Contains("all turns of k, turns of 4x2 points in vectors") &&
                 Contains("a library of linear algebra is faster"));
}
