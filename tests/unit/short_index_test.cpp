#include "lower/cuda/short_index.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "plan/plan_kernels.h"
#include "support/catch.h"

namespace stencilgen::lower::cuda {
namespace {

plan::Plan PlanOfProgram(std::string text) {
  const SourceFile source("test.idsl", std::move(text));
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, {}, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  return plan::PlanKernels(*std::move(graph), {});
}

/// Of a program that computes `v`, N by N, from `u`, with those declarations.
plan::Plan PlanOf(const std::string& declarations, const std::string& calls) {
  return PlanOfProgram("parameter N=64, M=32, T=4; iterator j, i; double v[N,N];\n" + declarations +
                       "\ncopyin u, v;\n" + calls + "\ncopyout v;\n");
}

/// Of the program's last kernel.
bool Either(const plan::Plan& plan) {
  const Options options;
  return HasEitherIndex(ProgramModel(plan, options), plan::KernelId(plan.kernels.size() - 1));
}

bool Either(const std::string& declarations, const std::string& calls) {
  return Either(PlanOf(declarations, calls));
}

const std::string kSquare = "double u[N,N];";

}  // namespace

TEST_CASE("kernels without a tile have short positions where arrays are small enough") {
  const std::string star =
      "stencil s (A, B) { [1:N-2][1:N-2] : B[j][i] = A[j-1][i] + A[j][i+1]; } s (u, v);";
  CHECK(Either(kSquare, star));
  CHECK(Either(kSquare + "boundary u = mirror;",
               "stencil s (A, B) { B[j][i] = A[j-1][i] + A[j][i+1]; } s (u, v);"));
  // Faces, multiples of coordinates, turns in values.
  CHECK(Either(kSquare, "stencil s (A, B) { [0:M-1][0:0] : B[j][i] = A[j][N-1]; } s (u, v);"));
  CHECK(Either("double u[2*N,N];", "stencil s (A, B) { B[j][i] = A[2*j][i]; } s (u, v);"));
  CHECK(Either(kSquare, "stencil s (A, B) { B[j][i] = A[j][i] + t; } iterate t : T { s (u, v); }"));
}

TEST_CASE("kernels have 64-bit positions where arrays do not say how far these go") {
  // A turn's number, and more than one size.
  CHECK_FALSE(Either("double u[T,N];",
                     "stencil s (A, B) { B[j][i] = A[t][i]; } iterate t : T { s (u, v); }"));
  CHECK_FALSE(
      Either("double u[N,N+M+T];", "stencil s (A, B) { B[j][i] = A[j][i+M+T]; } s (u, v);"));
  // By the difference of two sizes: their sum is the extent of a row.
  CHECK_FALSE(Either("double u[N,3*M-2*T];",
                     "stencil s (A, B) { [0:T-1][0:T-1] : B[j][i] = A[j][i]; } s (u, v);"));
  CHECK_FALSE(
      Either(kSquare, "stencil s (A, B) { [0:M-1][0:0] : B[j][i] = A[j][N-M]; } s (u, v);"));
  // Beyond the edges of an array of another shape, by multiples, by sizes, and anywhere.
  const std::string same = "stencil s (A, B) { B[j][i] = A[j][i]; } s (u, v);";
  CHECK_FALSE(Either("double u[M,N]; boundary u = constant(0.0);", same));
  CHECK(Either(kSquare + "boundary u = constant(0.0);", same));
  CHECK_FALSE(Either(kSquare + "boundary u = clamp;",
                     "stencil s (A, B) { B[j][i] = A[2*j][i]; } s (u, v);"));
  CHECK_FALSE(Either(kSquare + "boundary u = clamp;",
                     "stencil s (A, B) { B[j][i] = A[j][i+M]; } s (u, v);"));
  CHECK_FALSE(Either("double u[M,N], w[M,N]; boundary u = constant(0.0);",
                     "stencil s (A, B) { B[i][j] = A[j][i]; } s (u, w); copyout w;"));
  CHECK_FALSE(Either(kSquare + "boundary u = mirror;",
                     "stencil s (A, B) { B[j][i] = A[j][-i]; } s (u, v);"));
  CHECK_FALSE(Either(kSquare + "boundary u = clamp; int z[N,N]; copyin z;",
                     "stencil s (A, B, z) { B[j][i] = A[z[j][i]][i]; } s (u, v, z);"));
}

TEST_CASE("kernels have one kind of positions where sizes are known") {
  const std::string copy = "stencil s (A, B) { B[j][i] = A[j][i]; } ";
  CHECK_FALSE(Either("double u[50000,50000], w[50000,50000];", copy + "s (u, w); copyout w;"));
  // Without v, whose size is not known.
  CHECK_FALSE(Either(PlanOfProgram("iterator j, i; double u[64,64], w[64,64]; copyin u; " + copy +
                                   "s (u, w); copyout w;")));
}

TEST_CASE("shapes are listed once, with what offsets reach") {
  const plan::Plan plan =
      PlanOf("double u[N,M], w[N,M], c[M], x[N,M]; copyin w, c, x;",
             "stencil s (A, C, D, B) { [0:N-1][3:M-1] : B[j][i] = A[j][i]*D[i] + C[j][i-3]; } "
             "s (u, w, c, x); copyout x;");
  const Options options;
  const ProgramModel model(plan, options);
  OperatorCode::Uses uses;
  for (const plan::BufferId id : plan.buffers.Ids()) {
    if (plan.buffers[id].name != "v") uses[id] = {};
  }
  std::vector<std::string> shapes;
  for (const auto& extents : ShapesOf(model, plan::KernelId(0), uses)) {
    shapes.emplace_back();
    for (const kernel::Expr& extent : extents) shapes.back() += kernel::Print(extent) + " ";
  }
  CHECK(shapes == std::vector<std::string>{"N + 6 M + 6 ", "M + 6 "});
}

}  // namespace stencilgen::lower::cuda
