#include <cmath>
#include <limits>

#include "driver/files.h"
#include "driver/host_library.h"
#include "support/catch.h"
#include "tools/explain/metrics.h"
#include "tools/run/execute.h"
#include "tools/run/run_inputs.h"
#include "tools/run/run_report.h"
#include "tools/run/verify_run.h"

using namespace stencilgen;
using namespace stencilgen::driver;

namespace {

graph::Graph Build(const std::string& text) {
  const SourceFile source("p.idsl", text);
  DiagnosticSink sink;
  PipelineOptions options;
  options.verify = true;
  auto graph = CompileToGraph(source, options, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph);
  return *std::move(graph);
}

const char* const kFivePoint = R"(
parameter M=10, N=12;
iterator j, i;
double in[M,N], out[M,N], a;
copyin in, a, out;
stencil s (A, B, c) { B[j][i] = c*(A[j-1][i] + A[j][i-1] + A[j][i] + A[j][i+1] + A[j+1][i]); }
s (in, out, a);
copyout out;
)";

RunInputs Inputs(const graph::Graph& graph, const Options& options) {
  auto prepared = PrepareInputs(graph, options);
  if (auto* error = std::get_if<UsageError>(&prepared)) FAIL(error->message);
  return std::get<RunInputs>(std::move(prepared));
}

UsageError Refused(const graph::Graph& graph, const Options& options) {
  auto prepared = PrepareInputs(graph, options);
  REQUIRE(std::holds_alternative<UsageError>(prepared));
  return std::get<UsageError>(prepared);
}

std::vector<Comparison> Compare(const graph::Graph& graph, const RunInputs& inputs,
                                const graph::Values& values, const graph::Values& reference,
                                FpMode fp, std::vector<std::uint8_t> defined = {}) {
  if (defined.empty()) defined.assign(graph::SizeOf(values), 1);
  graph::InterpretResult result;
  result.outputs = {reference};
  result.defined = {std::move(defined)};
  return CompareOutputs(graph, inputs, {values}, result, Executor::Cpp, fp);
}

}  // namespace

TEST_CASE("work is counted by hand") {
  const graph::Graph graph = Build(kFivePoint);
  const Work work = CountWork(graph, {10, 12});
  CHECK(work.points == 80);      // 8 x 10 interior points
  CHECK(work.flops == 80 * 5);   // four sums and a product
  CHECK(work.bytes == 80 * 16);  // one array read, one written
  CHECK(CountWork(graph, {2, 12}).points == 0);
}

TEST_CASE("loops multiply and lower ranks count their own points") {
  const graph::Graph graph = Build(R"(
parameter M=10, N=12, T=3;
iterator j, i;
float u[M,N], w[N];
copyin u, w;
stencil s (A, W) { A[j][i] = W[i]*A[j][i]; }
iterate T { s (u, w); }
copyout u;
)");
  const Work work = CountWork(graph, {10, 12, 3});
  CHECK(work.points == 3 * 120);
  CHECK(work.bytes == 3 * 4 * (120 + 120 + 12));
  CHECK(CountWork(graph, {10, 12, 0}).points == 0);
}

TEST_CASE("random inputs depend on the seed and the name alone") {
  const graph::Graph graph = Build(kFivePoint);
  Options options;
  const RunInputs first = Inputs(graph, options);
  REQUIRE(first.arrays.size() == 2);
  REQUIRE(first.scalars.size() == 1);
  CHECK(first.arrays[0].shape == std::vector<std::int64_t>{10, 12});
  CHECK(Inputs(graph, options).arrays[0].values == first.arrays[0].values);
  CHECK(first.arrays[0].values != first.arrays[1].values);
  options.run.seed = 2;
  CHECK(Inputs(graph, options).arrays[0].values != first.arrays[0].values);
  double sum = 0;
  for (const double value : std::get<std::vector<double>>(first.arrays[0].values)) {
    CHECK(std::fabs(value) <= 1);
    sum += value;
  }
  CHECK(std::fabs(sum) < 120 * 0.4);
}

TEST_CASE("scalars are read in their own type") {
  const graph::Graph graph = Build(kFivePoint);
  Options options;
  options.run.scalar["a"] = "-2.5e-1";
  CHECK(Inputs(graph, options).scalars[0].values == graph::Values(std::vector<double>{-0.25}));
  for (const char* text : {"", "x", "1,5", "nan", "inf", "1e999", "0.5 "}) {
    options.run.scalar["a"] = text;
    CHECK(Refused(graph, options).message.find("--scalar") == 0);
  }
}

TEST_CASE("a complex scalar is given as a complex number") {
  const graph::Graph graph = Build(R"(
parameter N=4;
iterator i;
complex u[N], a;
complex float b;
copyin u;
stencil s (u, a, b) { u[i] = a*b*u[i]; }
s (u, a, b);
copyout u;
)");
  const auto parts = [&](const char* text) {
    Options options;
    options.run.scalar["a"] = text;
    options.run.scalar["b"] = "1+0.5i";
    const RunInputs inputs = Inputs(graph, options);
    REQUIRE(inputs.scalars.size() == 4);
    CHECK(inputs.scalars[2].values == graph::Values(std::vector<float>{1}));
    CHECK(inputs.scalars[3].values == graph::Values(std::vector<float>{0.5F}));
    return std::pair(std::get<std::vector<double>>(inputs.scalars[0].values).at(0),
                     std::get<std::vector<double>>(inputs.scalars[1].values).at(0));
  };
  CHECK(parts("0.7-0.4i") == std::pair(0.7, -0.4));
  CHECK(parts("-0.7+0.4i") == std::pair(-0.7, 0.4));
  CHECK(parts("0.7") == std::pair(0.7, 0.0));
  CHECK(parts("-2i") == std::pair(0.0, -2.0));
  CHECK(parts("1e-3-2E+4i") == std::pair(1e-3, -2e4));
  CHECK(parts("2e-4i") == std::pair(0.0, 2e-4));
  for (const char* text : {"", "i", "1+i", "1+2", "1+-2i", "1-2i ", "1,2i", "i1", "1+2j", "nani"}) {
    INFO(text);
    Options options;
    options.run.scalar["a"] = text;
    CHECK(Refused(graph, options).hint == "`a` is complex, as 0.5, 2i or 0.5-2i");
  }
  Options twice;
  twice.run.scalar["a"] = "1";
  twice.run.scalar["a_im"] = "2";
  CHECK(Refused(graph, twice).message == "--scalar: `a_im` is given twice");
}

TEST_CASE("a scalar that takes a reduction has a value to begin with where it is copied in") {
  const graph::Graph begun = Build(R"(
parameter N=4;
iterator i;
double u[N], total;
copyin u, total;
stencil s (total, u) { total = total + sum(u[i]); }
s (total, u);
copyout u, total;
)");
  Options options;
  options.run.scalar["total"] = "2.5";
  CHECK(Inputs(begun, options).Array("total").values == graph::Values(std::vector<double>{2.5}));
  const graph::Graph computed = Build(R"(
parameter N=4;
iterator i;
double u[N], total;
copyin u;
stencil s (total, u) { total = sum(u[i]); }
s (total, u);
copyout u, total;
)");
  const UsageError refused = Refused(computed, options);
  CHECK(refused.message == "--scalar: the program computes `total` and takes no value for it");
  CHECK(refused.hint == "add `copyin total;` to the program to begin with one");
  options.run.scalar = {{"u", "1"}};
  CHECK(Refused(computed, options).message == "--scalar: `u` is an array");
  options.run.scalar = {{"total", "1"}};
  options.run.in = {{"total", "total.npy"}};
  CHECK(Refused(begun, options).message == "--in: `total` is given twice");
}

TEST_CASE("names that the program does not have are refused") {
  const graph::Graph graph = Build(kFivePoint);
  const auto refused = [&](auto set) {
    Options options;
    set(options.run);
    return Refused(graph, options);
  };
  CHECK(refused([](RunOptions& run) { run.in["inn"] = "x.npy"; }).hint == "did you mean `in`?");
  CHECK(refused([](RunOptions& run) { run.in["a"] = "x.npy"; }).message.find("no array") !=
        std::string::npos);
  CHECK(refused([](RunOptions& run) { run.scalar["b"] = "1"; }).hint == "the scalars are `a`");
  CHECK(refused([](RunOptions& run) { run.out["in"] = "x.npy"; }).message.find("no copyout") !=
        std::string::npos);
  CHECK(refused([](RunOptions& run) { run.picture.plot_array = "zzz"; }).message.find("--plot") ==
        0);
  CHECK(refused([](RunOptions& run) { run.picture.movie_array = "zzz"; }).message.find("--movie") ==
        0);
  CHECK(refused([](RunOptions& run) {
          run.in["in"] = "/nonexistent.npy";
        }).message.find("no such file") != std::string::npos);
}

TEST_CASE("sizes that are missing, too large or too small are refused") {
  const graph::Graph missing = Build(R"(
parameter M, N=4; iterator j, i; double u[M,N]; copyin u;
stencil s (A) { A[j][i] = 2.0*A[j][i]; } s (u); copyout u;)");
  CHECK(Refused(missing, {}).message == "no value for parameter `M`");
  const graph::Graph huge = Build(R"(
parameter M=2000000000, N=2000000000; iterator j, i; double u[M,N]; copyin u;
stencil s (A) { A[j][i] = 2.0*A[j][i]; } s (u); copyout u;)");
  CHECK(Refused(huge, {}).message.find("GB of memory") != std::string::npos);
}

TEST_CASE("results are compared within the tolerance of their type") {
  const graph::Graph graph = Build(kFivePoint);
  const RunInputs inputs = Inputs(graph, {});
  const std::vector<double> base(120, 1.0);
  const auto compare = [&](double change, FpMode fp) {
    std::vector<double> changed = base;
    changed[12 * 3 + 4] += change;
    return Compare(graph, inputs, changed, base, fp).front();
  };
  CHECK(compare(0, FpMode::Strict).equal);
  // One element of 120 off by d is a relative RMS of d / sqrt(120).
  CHECK(compare(1e-12, FpMode::Fast).passed);
  CHECK_FALSE(compare(1e-12, FpMode::Strict).passed);
  const Comparison off = compare(1e-10, FpMode::Fast);
  CHECK_FALSE(off.passed);
  CHECK(off.rel_rms == Approx(1e-10 / std::sqrt(120.0)).epsilon(1e-4));
  CHECK(ElementText(off.name, off.worst) == "out[3][4]");
  CHECK(off.max_abs_error == Approx(1e-10).epsilon(1e-4));
}

TEST_CASE("NaN, infinity and elements without a value are compared sensibly") {
  const graph::Graph graph = Build(kFivePoint);
  const RunInputs inputs = Inputs(graph, {});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto with = [](double value) {
    std::vector<double> values(120, 1.0);
    values[7] = value;
    return graph::Values(values);
  };
  const auto fast = FpMode::Fast;
  CHECK(Compare(graph, inputs, with(nan), with(nan), fast).front().passed);
  CHECK(Compare(graph, inputs, with(infinity), with(infinity), fast).front().passed);
  CHECK_FALSE(Compare(graph, inputs, with(nan), with(1), fast).front().passed);
  CHECK_FALSE(Compare(graph, inputs, with(1), with(nan), fast).front().passed);
  CHECK_FALSE(Compare(graph, inputs, with(infinity), with(1), fast).front().passed);
  CHECK_FALSE(Compare(graph, inputs, with(-infinity), with(infinity), fast).front().passed);
  for (const double value : {nan, infinity, -infinity}) {
    const Comparison one = Compare(graph, inputs, with(2), with(value), fast).front();
    CHECK(one.not_finite == 1);
    CHECK(one.largest == 1);
  }
  CHECK(Compare(graph, inputs, with(nan), with(-3), fast).front().not_finite == 0);
  CHECK(Compare(graph, inputs, with(nan), with(-3), fast).front().largest == 3);
  std::vector<std::uint8_t> defined(120, 1);
  defined[7] = 0;
  const Comparison rest = Compare(graph, inputs, with(nan), with(1), fast, defined).front();
  CHECK(rest.passed);
  CHECK(rest.elements == 119);
}

TEST_CASE("the library of a text is built, called and timed") {
  const TemporaryDirectory folder;
  BuildOptions options;
  options.directory = folder.path();
  options.optimize = 1;
  std::string error;
  const auto library = HostLibrary::Build(
      R"(extern "C" int twice_call(void* const* a, const void* const* s, const int* n) {
           double* x = static_cast<double*>(a[0]);
           for (int i = 0; i < n[0]; ++i) x[i] *= *static_cast<const double*>(s[0]);
           return n[0] < 0 ? 3 : 0;
         }
         extern "C" int twice_time(void* const*, const void* const*, const int*, int warmups,
                                   int repeats, double* ms) {
           for (int i = 0; i < repeats; ++i) ms[i] = warmups + i;
           return 0;
         }
         extern "C" const char* twice_error() { return "negative"; })",
      "twice", options, error);
  INFO(error);
  REQUIRE(library);
  std::vector<double> x = {1, 2, 3};
  const double factor = 2;
  CHECK(library->Call("twice", {x.data()}, {&factor}, {3}) == 0);
  CHECK(x == std::vector<double>{2, 4, 6});
  CHECK(library->Call("twice", {x.data()}, {&factor}, {-1}) == 3);
  CHECK(library->Error("twice") == "negative");
  CHECK(library->Time("twice", {x.data()}, {&factor}, {3}, 1, 3) == std::vector<double>{1, 2, 3});
  CHECK(library->Symbol("nothing") == nullptr);
  CHECK(library->Call("nothing", {}, {}, {}) != 0);
}

TEST_CASE("a text that does not compile gives the compiler's words") {
  const TemporaryDirectory folder;
  BuildOptions options;
  options.directory = folder.path();
  std::string error;
  CHECK_FALSE(HostLibrary::Build("this is no program", "bad", options, error));
  CHECK(error.find("error") != std::string::npos);
}
