// A program that was built and not read: compiler/README.md says how to add a front end.
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/options.h"
#include "driver/pipeline.h"
#include "driver/tuning_key.h"
#include "graph/builder.h"
#include "graph/interpret.h"
#include "support/catch.h"

namespace {

using namespace stencilgen;

// [README]
std::optional<graph::Graph> Heat(const std::map<std::string, std::int64_t>& sizes,
                                 DiagnosticSink& sink) {
  graph::Builder b("heat", {"j", "i"}, sizes);
  const graph::LinearForm m = b.Parameter("M", 64), n = b.Parameter("N", 48);
  const auto u = b.Array("u", {m, n}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m, n}).CopyIn();
  b.Repeat(b.Parameter("T", 10), {u, v}, [&] {
    b.Assign(v, {{1, m - 2}, {1, n - 2}},
             0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)));
    b.Swap(u, v);
  });
  return b.Finish(sink);
}
// [README]

/// It as a front end hands it over.
graph::Program HeatProgram() {
  DiagnosticSink unheard;
  graph::Program program;
  program.interface = graph::InterfaceOf(*Heat({}, unheard));
  program.print = [] { return std::string("heat\n"); };
  program.build = [](const graph::GraphOptions& options, DiagnosticSink& sink) {
    return Heat(options.fixed, sink);
  };
  return program;
}

constexpr const char* kHeatText =
    "parameter M=64, N=48, T=10;\niterator j, i;\ndouble u[M,N], v[M,N];\ncopyin u, v;\n"
    "stencil heat (B, A) {\n"
    "  B[j][i] = 0.5*A[j][i] + 0.125*(A[j-1][i] + A[j+1][i] + A[j][i-1] + A[j][i+1]);\n}\n"
    "iterate T {\n  heat (v, u);\n  swap u, v;\n}\ncopyout u;\n";

std::string ReadFile(const std::string& path) {
  std::ifstream in(std::string(STENCILGEN_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> ErrorsOf(const std::function<void(graph::Builder&)>& describe) {
  DiagnosticSink sink;
  graph::Builder builder("wrong", {"j", "i"});
  describe(builder);
  CHECK_FALSE(builder.Finish(sink));
  std::vector<std::string> errors;
  for (const Diagnostic& diagnostic : sink.diagnostics()) errors.push_back(diagnostic.message);
  return errors;
}

bool Has(const std::vector<std::string>& errors, const std::string& text) {
  for (const std::string& error : errors) {
    UNSCOPED_INFO(error);
    if (error.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the README's front end is the one that is tested") {
  const std::string here = ReadFile("tests/unit/front_end_test.cpp");
  const std::string mark = "// [README]\n";
  const std::size_t begin = here.find(mark) + mark.size();
  const std::string example = here.substr(begin, here.find(mark, begin) - begin);
  REQUIRE(example.size() > 300);
  CHECK(ReadFile("compiler/README.md").find("```cpp\n" + example + "```") != std::string::npos);
}

TEST_CASE("a built program means what the same program means that was read") {
  DiagnosticSink sink;
  driver::PipelineOptions options;
  options.program_name = "heat";
  options.fixed = {{"N", 20}};
  options.verify = true;
  const auto built = Heat(options.fixed, sink);
  const auto read = driver::CompileToGraph(SourceFile("heat.idsl", kHeatText), options, sink);
  REQUIRE((built && read));
  constexpr std::size_t kPoints = 9 * 20;
  std::vector<double> values(kPoints);
  for (std::size_t k = 0; k < kPoints; ++k) values[k] = 0.01 * static_cast<double>(k * k % 97);
  const std::map<std::string, graph::Values> inputs = {{"u", values}, {"v", values}};
  const auto result = graph::Interpret(*built, {9, 20, 5}, inputs);
  const auto wanted = graph::Interpret(*read, {9, 20, 5}, inputs);
  REQUIRE(wanted.error.empty());
  CHECK(result.outputs == wanted.outputs);
}

TEST_CASE("a built program becomes code for both targets") {
  DiagnosticSink sink;
  const SourceFile nothing("heat", "");
  driver::PipelineOptions options;
  options.program_name = "heat";
  options.verify = true;
  for (const driver::Target target : {driver::Target::Cuda, driver::Target::Cpp}) {
    options.target = target;
    auto graph = Heat({}, sink);
    REQUIRE(graph);
    const driver::Compiled code =
        driver::EmitCode(driver::CompileToPlan(*std::move(graph), options), nothing, options);
    CHECK(code.header.find("int heat(double* u, const double* v, int M, int N, int T)") !=
          std::string::npos);
  }
}

TEST_CASE("options of the command line are for a built program too") {
  const graph::Program program = HeatProgram();
  const auto options = [](const std::vector<std::string>& given) {
    std::vector<std::string> arguments = {"heat"};
    arguments.insert(arguments.end(), given.begin(), given.end());
    auto parsed = driver::ParseCommandLine(arguments);
    REQUIRE(std::holds_alternative<driver::Options>(parsed));
    return std::get<driver::Options>(std::move(parsed));
  };
  const auto wrong = driver::CheckAgainstProgram(options({"-D", "Q=3"}), program.interface);
  REQUIRE(wrong);
  CHECK(wrong->message.find("no parameter `Q`") != std::string::npos);
  CHECK(driver::CheckAgainstProgram(options({"--unroll", "k=2"}), program.interface));

  const driver::Options good = options({"-D", "N=20", "--unroll", "j=2", "--shared-mem", "false"});
  REQUIRE_FALSE(driver::CheckAgainstProgram(good, program.interface));
  const driver::PipelineOptions pipeline = driver::MakePipelineOptions(good, program.interface);
  CHECK(pipeline.schedule.unroll[1] == 2);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(program, pipeline, sink);
  REQUIRE(graph);
  const SourceFile nothing("heat", "");
  const driver::Compiled code =
      driver::EmitCode(driver::CompileToPlan(*std::move(graph), pipeline), nothing, pipeline);
  CHECK(code.text.find("__global__") != std::string::npos);

  const driver::ProgramIdentity identity = driver::IdentityOf(program);
  CHECK_FALSE(identity.hash.empty());
  CHECK(identity.extents == std::vector<std::string>{"M", "N"});
  CHECK(identity.defaults.at("T") == 10);
}

TEST_CASE("what is built wrongly is reported, all of it") {
  using graph::Builder;
  CHECK(Has(ErrorsOf([](Builder& b) {
              const auto u = b.Array("u", {8, 8}).CopyOut();
              b.Assign(u, {{0, 7}, {0, 7}}, u(0));
            }),
            "`u` has 2 dimensions, but is read with 1 indices"));
  CHECK(Has(ErrorsOf([](Builder& b) {
              const auto u = b.Array("u", {8, 8}).CopyOut();
              b.Assign(u, {{0, 7}}, u(0, 0));
            }),
            "`u` is assigned with 1 bounds for 2 iterators"));
  CHECK(Has(ErrorsOf([](Builder& b) {
              const auto u = b.Array("u", {8, 8}).CopyIn().CopyOut();
              b.Assign(u, {{0, 7}, {0, 7}}, u(0, 1));
            }),
            "outside"));
  CHECK(Has(ErrorsOf([](Builder& b) {
              const auto c = b.Array("c", {8, 8}).Constant();
              b.Assign(c, {{0, 7}, {0, 7}}, 2.0 * c(0, 0));
            }),
            "`c` is constant"));
  CHECK(Has(ErrorsOf([](Builder& b) {
              const auto t = b.Array("t", {8, 8}).Local();
              const auto u = b.Array("u", {8, 8}).CopyOut();
              b.Assign(u, {{0, 7}, {0, 7}}, t(0, 0));
            }),
            "`t` is read before it has a value"));
  CHECK(Has(ErrorsOf([](Builder& b) {
              const auto u = b.Array("u", {8, 8}).CopyIn().CopyOut();
              b.Repeat(b.Parameter("T"), {}, [&] { b.Assign(u, {{0, 7}, {0, 7}}, u(0, 0) + 1.0); });
            }),
            "`u` is assigned in a loop that does not carry it"));
  CHECK(Has(ErrorsOf([](Builder& b) {
              b.Array("u", {8, 8});
              b.Array("u", {8, 8});
            }),
            "two arrays `u`"));
  CHECK(Has(ErrorsOf([](Builder& b) {
              const auto u = b.Array("u", {8, 8}).CopyIn().CopyOut();
              const auto v = b.Array("v", {8, 9}).CopyIn();
              b.Swap(u, v);
            }),
            "differ in type or shape"));
  CHECK(Has(ErrorsOf([](Builder& b) {
              const auto u = b.Array("u", {8, 8}).CopyIn().CopyOut();
              const auto f = b.Array("f", {8, 8}, ScalarType::Float).CopyIn();
              b.Assign(u, {{0, 7}, {0, 7}}, u(0, 0) + f(0, 0));
            }),
            "the operands of an operator differ in type"));
  CHECK(Has(ErrorsOf([](Builder& b) {
              const auto u = b.Array("u", {8, 8}).CopyIn().CopyOut();
              b.Assign(u, {{0, 7}, {0, 7}}, graph::BuiltExpr{});
            }),
            "an expression of another builder, or none"));
  // Two mistakes, both heard of.
  CHECK(ErrorsOf([](Builder& b) {
          const auto u = b.Array("u", {8, 8}).CopyOut();
          b.Assign(u, {{0, 7}}, u(0));
        }).size() == 2);
}
