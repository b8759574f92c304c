#include "codegen/codegen.h"
#include "plan/plan_kernels.h"
#include "support/catch.h"
#include "support/emit.h"
#include "support/graph_builder.h"

namespace stencilgen::codegen {
namespace {

using driver::CodegenOptions;
using graph::LinearForm;
using plan::BufferId;
using testing::ArrayHandle;
using testing::At;
using testing::EmitCpp;
using testing::EmitCuda;
using testing::Ex;
using testing::Fixed;
using testing::GraphBuilder;

/// The text with every run of spaces and line ends as one space.
std::string Squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || out.empty() || out.back() != ' ') out.push_back(space ? ' ' : c);
  }
  return out;
}

bool Contains(const std::string& text, std::string_view part) {
  return Squeezed(text).find(Squeezed(part)) != std::string::npos;
}

/// Text without the runtime.
CodegenOptions Options() {
  CodegenOptions options;
  options.function = "smooth";
  options.standalone = false;
  return options;
}

std::string Cuda(const plan::Plan& plan, const CodegenOptions& options = Options()) {
  return EmitCuda(plan, options);
}
std::string Cuda(GraphBuilder& b, const CodegenOptions& options = Options(),
                 const plan::Schedule& schedule = {}) {
  return Cuda(plan::PlanKernels(b.Finish(), schedule), options);
}

Ex Star(const ArrayHandle& in) {
  return 0.2 * (in(-1, 0) + in(0, -1) + in(0, 0) + in(0, 1) + in(1, 0));
}

TEST_CASE("indices are distances from the point's own", "[codegen]") {
  GraphBuilder b({"j", "i"});
  const LinearForm m = b.Parameter("M");
  const LinearForm n = b.Parameter("N");
  const ArrayHandle in = b.Array("in", {m, n}).CopyIn();
  const ArrayHandle out = b.Array("out", {m, n}).CopyIn().CopyOut();
  b.Assign(out, {{1, m - 2}, {1, n - 2}}, Star(in));
  const std::string text = Cuda(b);
  CHECK(Contains(text, "using Index = long long;"));
  CHECK(Contains(text, "const Index c = j * N + i;"));
  CHECK(Contains(text, "out[c] = 0.2 * (in[c - N] + in[c - 1] + in[c] + in[c + 1] + in[c + N]);"));
  CHECK(Contains(text, "(Global<const double> in, Global<double> out, const Index N, "));
  // Nothing needs M on the device: it is not passed.
  CHECK(!Contains(text, "const Index M"));
  CHECK(Contains(text, "extern \"C\" int smooth(const double* in, double* out, int M, int N) {"));
}

TEST_CASE("small known sizes need 32 bits and go into the index", "[codegen]") {
  GraphBuilder b({"j", "i"});
  const ArrayHandle in = b.Array("in", {30, 20}).CopyIn();
  const ArrayHandle out = b.Array("out", {30, 20}).CopyOut();
  b.Assign(out, {{1, 28}, {1, 18}}, Star(in));
  const std::string text = Cuda(b);
  CHECK(Contains(text, "using Index = int;"));
  CHECK(Contains(text, "in[c - 20] + in[c - 1]"));

  GraphBuilder large({"j", "i"});
  const ArrayHandle u = large.Array("u", {40000, 40000}).CopyIn().CopyOut();
  large.Assign(u, {{0, 39999}, {0, 39999}}, u(0, 0) + u(0, 0));
  CHECK(Contains(Cuda(large), "using Index = long long;"));
}

TEST_CASE("an array that is read and written is passed once", "[codegen]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n}).CopyIn().CopyOut();
  b.Assign(u, {{0, n - 1}}, u(0) * u(0));
  const std::string text = Cuda(b);
  CHECK(Contains(text, "s0(GlobalInOut<double> u, const Index i_lo, const Index i_hi)"));
  CHECK(Contains(text, "u[i] = u[i] * u[i];"));
}

TEST_CASE("any affine access prints its whole index", "[codegen]") {
  GraphBuilder b({"j", "i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle fine = b.Array("fine", {n * 2, n * 2}).CopyIn();
  const ArrayHandle coarse = b.Array("coarse", {n, n}).CopyOut();
  b.Assign(coarse, {{0, n - 1}, {0, n - 1}},
           b.Read(fine, {At(1, 1, 2), At(0, 0, 2)}) +
               b.Read(fine, {Fixed(n - 1), Fixed(LinearForm::Constant(3))}));
  const std::string text = Cuda(b);
  CHECK(Contains(text, "fine[(2 * i + 1) * (2 * N) + 2 * j] + fine[(N - 1) * (2 * N) + 3]"));
}

TEST_CASE("boundary modes are spelled in the dimensions that have one", "[codegen]") {
  using graph::BoundaryKind;
  GraphBuilder b({"j", "i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n, n}).CopyIn();
  const ArrayHandle v = b.Array("v", {n, n}).CopyOut();
  const std::vector<graph::Boundary> modes = {{BoundaryKind::Wrap, 0}, {BoundaryKind::None, 0}};
  const std::vector<graph::Boundary> half = {{BoundaryKind::None, 0},
                                             {BoundaryKind::Constant, 0.5}};
  b.Assign(v, {{0, n - 1}, {0, n - 1}},
           b.Read(u, {At(0, -1), At(1)}, modes) + b.Read(u, {At(0), At(1, 1)}, half));
  const std::string text = Cuda(b);
  CHECK(Contains(text, "u[WrapIndex(j - 1, N) * N + i]"));
  CHECK(Contains(text, "(IsInside(i + 1, N) ? u[c + 1] : 0.5)"));
}

TEST_CASE("points a thread", "[codegen]") {
  GraphBuilder b({"j", "i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n, n}).CopyIn();
  const ArrayHandle v = b.Array("v", {n, n}).CopyOut();
  b.Assign(v, {{0, n - 1}, {0, n - 1}}, u(0, 0) + u(0, 0));
  const std::string text = Cuda(b, Options(), {{16, 2, 1}, {3, 2, 1}});
  CHECK(Contains(text, "__launch_bounds__(32)"));
  CHECK(
      Contains(text, "const Index i_first = i_lo + Index(blockIdx.x) * 48 + Index(threadIdx.x);"));
  CHECK(Contains(text, "const Index i = i_first + i_part * 16;"));
  CHECK(Contains(text, "j_first = j_lo + (Index(blockIdx.y) * 2 + Index(threadIdx.y)) * 2;"));
  CHECK(Contains(text, "const dim3 grid(BlocksX(i, 48), BlocksYZ(j, 4));"));
}

TEST_CASE("constant arrays of known size live in constant memory while there is room",
          "[codegen]") {
  GraphBuilder b({"j", "i"});
  const ArrayHandle c = b.Array("w", {1, 3}).CopyIn();
  const ArrayHandle big = b.Array("big", {100, 100}).CopyIn();
  const ArrayHandle v = b.Array("v", {100, 100}).CopyOut();
  b.graph().arrays[c.id()].constant = true;
  b.graph().arrays[big.id()].constant = true;
  const auto coefficient = [&](std::int64_t k) {
    return b.Read(c, {Fixed(LinearForm::Constant(0)), Fixed(LinearForm::Constant(k))});
  };
  b.Assign(v, {{1, 98}, {0, 99}},
           coefficient(1) * big(-1, 0) + b.Let("right", coefficient(2)) * big(1, 0));
  const std::string text = Cuda(b);
  CHECK(Contains(text, "static __constant__ double constant_w[3];"));
  CHECK(Contains(text, "cudaMemcpyToSymbolAsync(constant_w, w, sizeof constant_w"));
  CHECK(Contains(text, "const double right = constant_w[2];\n  const Index i ="));
  CHECK(Contains(text, "constant_w[1] * big[c - 100] + right * big[c + 100]"));
  CHECK(!Contains(text, "constant_big"));
}

TEST_CASE("strict products are rounded on the device", "[codegen]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n}).CopyIn();
  const ArrayHandle v = b.Array("v", {n}).CopyOut();
  b.Assign(v, {{0, n - 1}}, 0.5 * u(0) + u(0));
  const plan::Plan plan = plan::PlanKernels(b.Finish(), {});
  CodegenOptions options = Options();
  CHECK(Contains(EmitCuda(plan, options), "v[i] = 0.5 * u[i] + u[i];"));
  options.fp = FpMode::Strict;
  CHECK(Contains(EmitCuda(plan, options), "v[i] = MulRn(0.5, u[i]) + u[i];"));
  CHECK(Contains(EmitCpp(plan, options), "v[i] = 0.5 * u[i] + u[i];"));
  CHECK(Contains(EmitCpp(plan, options), "-ffp-contract=off"));
}

TEST_CASE("rotations of any length move pointers, and scalars move all at once", "[codegen]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  std::vector<ArrayHandle> arrays;
  for (const char* name : {"p", "q", "r", "s", "t"}) {
    arrays.push_back(b.Array(name, {n}).CopyIn().CopyOut());
  }
  b.Scalar("a");
  b.Scalar("e");
  plan::Plan plan = plan::PlanKernels(b.Finish(), {});
  plan::Repeat repeat;
  repeat.turns.count = n - 4;
  const auto id = [](std::uint32_t k) { return BufferId{k}; };
  repeat.rotation = {
      {id(0), id(2)}, {id(1), id(0)}, {id(2), id(1)}, {id(3), id(4)}, {id(4), id(3)}};
  repeat.scalar_moves = {{0, 1}, {1, 0}};
  plan.steps = {repeat};
  const std::string text = EmitCpp(plan, Options());
  CHECK(Contains(text, "for (long long step = 0; step < N - 4; ++step) {"));
  CHECK(Contains(text, "p = r;\n        r = q;\n        q = old_p;"));
  CHECK(Contains(text, "std::swap(s, t);"));
  CHECK(Contains(text, "a = next_a;\n        e = next_e;"));
  CHECK(Contains(text, "if (N - 4 < 0) {"));
  CHECK(Contains(text, "the iteration count N - 4 is negative: %lld"));
}

TEST_CASE("names of the program do not meet those of the code around them", "[codegen]") {
  GraphBuilder b({"c", "stream"});
  const LinearForm n = b.Parameter("int");
  const ArrayHandle u = b.Array("Index", {n, n}).CopyIn();
  const ArrayHandle v = b.Array("program", {n, n}).CopyOut();
  b.Assign(v, {{1, n - 2}, {1, n - 2}}, u(0, -1) + u(1, 0));
  const std::string text = Cuda(b);
  CHECK(Contains(text, "const Index c_ = c * int_ + stream_;"));
  CHECK(Contains(text, "program_[c_] = Index_[c_ - 1] + Index_[c_ + int_];"));
}

TEST_CASE("output depends on nothing but its input, and says where a kernel is from", "[codegen]") {
  const auto emit = [] {
    GraphBuilder b({"j", "i"});
    const LinearForm n = b.Parameter("N");
    const ArrayHandle u = b.Array("u", {n, n}).CopyIn();
    const ArrayHandle v = b.Array("v", {n, n}).CopyOut();
    const ArrayHandle w = b.Array("w", {n, n}).CopyOut();
    b.Assign(v, {{1, n - 2}, {1, n - 2}}, Star(u));
    const graph::NodeId node = b.Assign(w, {{1, n - 2}, {1, n - 2}}, Star(v));
    const SourceFile source("smooth.idsl", "first line\nw[j][i] = v; rest\n");
    std::get<graph::Operator>(b.graph().nodes[node]).span = {11, 23};
    CodegenOptions options = Options();
    options.source = &source;
    options.source_name = "smooth.idsl";
    options.command_line = "stencilgen smooth.idsl";
    const plan::Plan plan = plan::PlanKernels(b.Finish(), {});
    const kernel::Module device = lower::Lower(plan, options, kernel::Target::Device);
    const kernel::Module host = lower::Lower(plan, options, kernel::Target::Host);
    return EmitFile(device, options) + EmitFile(host, options) + EmitHeader(device, options) +
           EmitTrampoline(device, options) + EmitTrampoline(host, options);
  };
  const std::string text = emit();
  CHECK(text == emit());
  CHECK(Contains(text,
                 "// s1, line 2: w[j][i] = v;\ntemplate <typename Index>\n"
                 "static __global__"));
  CHECK(Contains(text, "// Generated by stencilgen from smooth.idsl."));
}

}  // namespace
}  // namespace stencilgen::codegen
