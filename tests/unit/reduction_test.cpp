#include "graph/reduction.h"

#include <cmath>
#include <limits>
#include <random>

#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "graph/nodes.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "support/catch.h"

// Reductions: what they give, and in which order.
namespace stencilgen::graph {
namespace {

using Doubles = std::vector<double>;
using Texts = std::vector<std::string>;

Graph Compile(const std::string& text) {
  const SourceFile source("p", text);
  DiagnosticSink sink;
  driver::PipelineOptions options;
  auto graph = driver::CompileToGraph(source, options, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  CHECK(Verify(*graph) == Texts{});
  return std::move(*graph);
}

Values OutputOf(const Graph& graph, const ParameterValues& sizes,
                const std::map<std::string, Values>& inputs) {
  const InterpretResult result = Interpret(graph, sizes, inputs);
  REQUIRE(result.error.empty());
  return result.outputs.at(0);
}

Doubles Noise(std::size_t count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> values(-1, 1);
  Doubles noise(count);
  for (double& value : noise) value = values(random);
  return noise;
}

/// The order of the language's reference, for M x N values.
double SumInOrder(const Doubles& values, std::size_t rows, std::size_t columns) {
  Doubles lanes(64 * 1024);
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t i = 0; i < columns; ++i) {
      lanes[j % 64 * 1024 + i % 1024] += values[j * columns + i];
    }
  }
  Doubles fewer(256);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) fewer[lane % 256] += lanes[lane];
  double sum = 0;
  for (const double each : fewer) sum += each;
  return sum;
}

TEST_CASE("a sum has its order, whatever the number of threads", "[interpret]") {
  const Graph graph = Compile(
      "parameter M, N; iterator j, i; double u[M,N], r; copyin u;"
      "stencil s (r, u) { r = sum(u[j][i]); } s (r, u); copyout r;");
  for (const auto& [rows, columns] :
       {std::pair{1, 1}, {70, 5}, {3, 1030}, {130, 2050}, {64, 1024}, {65, 256}}) {
    const Doubles values =
        Noise(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    const double sum =
        SumInOrder(values, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    for (const unsigned threads : {1U, 3U}) {
      const InterpretResult result =
          Interpret(graph, {rows, columns}, {{"u", values}}, {.threads = threads});
      CHECK(result.outputs.at(0) == Values(Doubles{sum}));
    }
  }
}

TEST_CASE("a domain without points gives what the operation begins with", "[interpret]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto reduce = [](const std::string& type, const std::string& value) {
    const Graph graph = Compile("parameter M, N; iterator j, i; double u[M,N]; int m[M,N]; " +
                                type + " r; copyin u, m; stencil s (r, u, m) { r = " + value +
                                "; } s (r, u, m); copyout r;");
    return OutputOf(graph, {1, 2}, {{"u", Doubles{1, 2}}, {"m", std::vector<std::int32_t>{1, 2}}});
  };
  CHECK(reduce("double", "sum(u[j+1][i] - u[j][i])") == Values(Doubles{0}));
  CHECK(reduce("double", "norm2(u[j+1][i] - u[j][i])") == Values(Doubles{0}));
  CHECK(reduce("double", "min(u[j-1][i] + u[j][i])") == Values(Doubles{kInfinity}));
  CHECK(reduce("double", "max(u[j][i] + u[j][i+2])") == Values(Doubles{-kInfinity}));
  CHECK(reduce("int", "min(m[j+1][i] + m[j][i])") == Values(std::vector<std::int32_t>{2147483647}));
  CHECK(reduce("int", "max(m[j+1][i] + m[j][i])") ==
        Values(std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::min()}));
  CHECK(reduce("int", "any(m[j+1][i] + m[j][i] > 0)") == Values(std::vector<std::int32_t>{0}));
  CHECK(reduce("int", "all(m[j+1][i] + m[j][i] < 0)") == Values(std::vector<std::int32_t>{1}));
  // Without a target, indices may be shifted as far as elements go.
  CHECK(reduce("double", "sum(u[j+1][i-7])") == Values(Doubles{3}));
  // Points exist by sizes alone.
  CHECK(reduce("double", "sum(u[1][i])") == Values(Doubles{0}));
}

TEST_CASE("the scalar decides in which type floats are summed", "[interpret]") {
  const auto sum = [](const std::string& type) {
    const Graph graph = Compile("parameter N; iterator i; float u[N]; " + type +
                                " r; copyin u; stencil s (r, u) { r = sum(u[i]); } s (r, u);"
                                "copyout r;");
    return ElementAsDouble(
        OutputOf(graph, {3}, {{"u", std::vector<float>{16777216.0F, 1.0F, 1.0F}}}), 0);
  };
  CHECK(sum("double") == 16777218.0);
  CHECK(sum("float") == 16777216.0);
}

TEST_CASE("reductions read scalars of the point, and their result is read by what follows",
          "[interpret]") {
  const Graph graph = Compile(
      "parameter M, N; iterator j, i; double u[M,N], v[M,N], r, h; copyin u, v, h;"
      "stencil s (r, v, u, h) {"
      "  double d = u[j][i] - u[j-1][i];"
      "  r = h/max(abs(d)) + 0.0*sum(u[j][i]);"
      "  r *= 2.0;"
      "  v[j][i] = r*d;"
      "}"
      "s (r, v, u, h); copyout v;");
  const Values v = OutputOf(
      graph, {3, 2},
      {{"u", Doubles{0, 0, 1, -4, 3, -3}}, {"v", Doubles{9, 9, 9, 9, 9, 9}}, {"h", Doubles{8}}});
  CHECK(v == Values(Doubles{9, 9, 4, -16, 8, 4}));
}

TEST_CASE("a reduction of strided elements has one round", "[interpret]") {
  const Graph graph = Compile(
      "parameter N; iterator i; double u[N], r; copyin u;"
      "stencil s (r, u) { r = sum(u[2*i+1]); } s (r, u); copyout r;");
  CHECK(graph.nodes.size() == 1);
  CHECK(OutputOf(graph, {6}, {{"u", Doubles{1, 2, 4, 8, 16, 32}}}) == Values(Doubles{42}));
}

TEST_CASE("the verifier knows what a reduction must be", "[verify]") {
  const Graph good = Compile(
      "parameter M, N; iterator j, i; double u[M,N], r; copyin u;"
      "stencil s (r, u) { r = sum(u[j][i]); } s (r, u); copyout r;");
  REQUIRE(good.nodes.size() == 3);
  const auto broken = [&](const auto& change) {
    Graph graph = good;
    change(OperatorOf(graph, NodeId{0}));
    const Texts problems = Verify(graph);
    return problems.empty() ? std::string() : problems.front();
  };
  CHECK(broken([](Operator& op) { op.reduction->lanes = {64}; }) ==
        "s (call 0): its reduction has not lanes for each iterator");
  CHECK(broken([](Operator& op) {
          op.reduction->lanes = {64, 0};
        }) == "s (call 0): its reduction has not lanes for each iterator");
  CHECK(broken([](Operator& op) {
          op.reduction->lanes = {64, 512};
        }) == "s (call 0): its reduction has 32768 lanes, but r_lanes has other elements");
  CHECK(broken([](Operator& op) {
          op.target[0] = Index{1, 1, {}};
        }) == "s (call 0): its reduction does not begin at the first element");
  CHECK(broken([](Operator& op) { op.background = VersionId{0}; }).find("background") !=
        std::string::npos);
  CHECK(broken([](Operator& op) { op.reduction->op = ReduceOp::Any; }) ==
        "s (call 0): its reduction is of values of another type");
}

}  // namespace
}  // namespace stencilgen::graph
