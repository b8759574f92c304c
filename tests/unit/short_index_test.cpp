#include "lower/cuda/short_index.h"

#include "driver/pipeline.h"
#include "plan/plan_kernels.h"
#include "support/catch.h"

namespace stencilgen::lower::cuda {
namespace {

/// Of the last kernel of a program that computes `v`, N by N, from `u`, with those declarations.
bool Either(const std::string& declarations, const std::string& calls) {
  const SourceFile source(
      "test.idsl", "parameter N=64, M=32, T=4; iterator j, i; double v[N,N];\n" + declarations +
                       "\ncopyin u, v;\n" + calls + "\ncopyout v;\n");
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, {}, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  const plan::Plan plan = plan::PlanKernels(*std::move(graph), {});
  const ProgramModel model(plan, {});
  return HasEitherIndex(model, plan::KernelId(plan.kernels.size() - 1));
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
  // Beyond the edges of an array of another shape, by multiples, by sizes, and anywhere.
  const std::string same = "stencil s (A, B) { B[j][i] = A[j][i]; } s (u, v);";
  CHECK_FALSE(Either("double u[M,N]; boundary u = constant(0.0);", same));
  CHECK(Either(kSquare + "boundary u = constant(0.0);", same));
  CHECK_FALSE(Either(kSquare + "boundary u = clamp;",
                     "stencil s (A, B) { B[j][i] = A[2*j][i]; } s (u, v);"));
  CHECK_FALSE(Either(kSquare + "boundary u = clamp;",
                     "stencil s (A, B) { B[j][i] = A[j][i+M]; } s (u, v);"));
  CHECK_FALSE(Either(kSquare + "boundary u = clamp; int z[N,N]; copyin z;",
                     "stencil s (A, B, z) { B[j][i] = A[z[j][i]][i]; } s (u, v, z);"));
}

TEST_CASE("kernels have one kind of positions where sizes are known") {
  const SourceFile source("test.idsl",
                          "iterator i; double u[64], v[64]; copyin u; stencil s (A, B) { B[i] = "
                          "A[i]; } s (u, v); copyout v;");
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, {}, sink);
  REQUIRE(graph.has_value());
  const plan::Plan plan = plan::PlanKernels(*std::move(graph), {});
  CHECK_FALSE(HasEitherIndex(ProgramModel(plan, {}), plan::KernelId(0)));
}

TEST_CASE("shapes are listed once") {
  const SourceFile source(
      "test.idsl",
      "parameter N=64, M=32; iterator j, i; double u[N,M], w[N,M], c[M], v[N,M];"
      "copyin u, w, c; stencil s (A, C, D, B) { B[j][i] = A[j][i]*D[i] + "
      "C[j][i]; } s (u, w, c, v); copyout v;");
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, {}, sink);
  REQUIRE(graph.has_value());
  const plan::Plan plan = plan::PlanKernels(*std::move(graph), {});
  const ProgramModel model(plan, {});
  OperatorCode::Uses uses;
  for (const plan::BufferId id : plan.buffers.Ids()) uses[id] = {};
  CHECK(ShapesOf(model, uses).size() == 2);
}

}  // namespace stencilgen::lower::cuda
