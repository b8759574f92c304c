#include <limits>
#include <map>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "driver/pipeline.h"
#include "graph/builder.h"
#include "graph/element_format.h"
#include "graph/interpret.h"
#include "graph/nodes.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "plan/traffic.h"
#include "support/catch.h"

// Arrays whose elements are narrower than what they are computed in.
namespace stencilgen {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;
using graph::Graph;

Graph Compile(const std::string& text) {
  const SourceFile source("p", text);
  DiagnosticSink sink;
  driver::PipelineOptions options;
  options.target = driver::Target::Cpp;
  auto graph = driver::CompileToGraph(source, options, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  CHECK(graph::Verify(*graph) == Texts{});
  return std::move(*graph);
}

graph::Values Output(const Graph& graph, const std::map<std::string, graph::Values>& inputs,
                     graph::Precision precision = graph::Precision::Program) {
  graph::InterpretOptions options;
  options.precision = precision;
  const graph::InterpretResult result = graph::Interpret(graph, {4}, inputs, options);
  REQUIRE(result.error.empty());
  return result.outputs.at(0);
}

std::string Store(const std::string& type, const std::string& from, const std::string& value) {
  return "parameter N; iterator i; " + type + " u[N]; " + from +
         " a[N]; copyin a; stencil s (u, a) { u[i] = " + value + "; } s (u, a); copyout u;";
}

TEST_CASE("whole numbers beyond the ends of elements become the ends") {
  const graph::Values in = Ints{-70000, -1, 200, 70000};
  const auto out = [&](const std::string& type) {
    return std::get<Ints>(Output(Compile(Store(type, "int", "a[i]")), {{"a", in}}));
  };
  CHECK(out("uint8") == Ints{0, 0, 200, 255});
  CHECK(out("int8") == Ints{-128, -1, 127, 127});
  CHECK(out("uint16") == Ints{0, 0, 200, 65535});
  CHECK(out("int16") == Ints{-32768, -1, 200, 32767});
}

TEST_CASE("floating values lose their fraction before they become whole numbers") {
  const Graph graph = Compile(Store("uint8", "float", "a[i] + 0.5"));
  CHECK(std::get<Ints>(Output(graph, {{"a", Floats{-0.7F, 1.4F, 1.6F, 1e9F}}})) ==
        Ints{0, 1, 2, 255});
}

TEST_CASE("what is assigned to elements of 16 bits is rounded, what is computed is not") {
  const graph::Values in = Floats{0.1F, 1.0F / 3, 2049, 1e6F};
  const Graph half = Compile(Store("half", "float", "a[i]"));
  const auto halves = std::get<Floats>(Output(half, {{"a", in}}));
  CHECK(halves ==
        Floats{0.0999755859375F, 0.333251953125F, 2048, std::numeric_limits<float>::infinity()});
  const Graph wide = Compile(Store("bfloat16", "float", "a[i]"));
  CHECK(std::get<Floats>(Output(wide, {{"a", in}})) ==
        Floats{0.10009765625F, 0.333984375F, 2048, 999424});
  // 2048 + 1 is no half, 2 times that is.
  const Graph sum = Compile(Store("half", "half", "(a[i] + 1.0)*2.0"));
  CHECK(std::get<Floats>(Output(sum, {{"a", Floats{2048, 0, 0, 0}}})).front() == 4096 + 2 - 2);
  const Graph twice = Compile(Store("float", "half", "(a[i] + 1.0)*2.0"));
  CHECK(std::get<Floats>(Output(twice, {{"a", Floats{2048, 0, 0, 0}}})).front() == 4098);
}

TEST_CASE("inputs that elements cannot hold are rounded; in double precision nothing is") {
  const Graph graph = Compile(Store("float", "half", "a[i]"));
  const graph::Values in = Floats{0.1F, 0, 0, 0};
  CHECK(std::get<Floats>(Output(graph, {{"a", in}})).front() == 0.0999755859375F);
  const Graph half = Compile(Store("half", "float", "a[i]"));
  const auto exact =
      std::get<std::vector<double>>(Output(half, {{"a", in}}, graph::Precision::Double));
  CHECK(exact.front() == static_cast<double>(0.1F));
}

TEST_CASE("copies of elements of one type are not rounded again") {
  const Graph graph = Compile(Store("half", "half", "a[i]"));
  CHECK(graph::Print(graph).find("round_half") == std::string::npos);
  const Graph bytes = Compile(Store("uint8", "uint8", "a[i]"));
  CHECK(graph::Print(bytes).find("min") == std::string::npos);
  const Graph other = Compile(Store("uint8", "int8", "a[i]"));
  CHECK(graph::Print(other).find("min(max(") != std::string::npos);
}

TEST_CASE("values that masks and remainders leave to elements are not clamped") {
  const auto value = [](const std::string& text) {
    return graph::Print(
        Compile("parameter N=8; iterator i; uint8 b[N]; int8 c[N]; int u[N]; "
                "copyin u, b, c; copyout b, c; " +
                text));
  };
  for (const char* fits : {"b[i] = u[i] & 255;", "b[i] = 127 & u[i];", "c[i] = u[i] % 128;",
                           "c[i] = u[i] % 5;", "b[i] = u[i] < 3;", "c[i] = u[i] & 127;"}) {
    INFO(fits);
    CHECK(value(fits).find("min(") == std::string::npos);
  }
  for (const char* may_not :
       {"b[i] = u[i] & 256;", "b[i] = u[i] & -1;", "b[i] = u[i] % 7;", "c[i] = u[i] % 130;",
        "c[i] = u[i] & 128;", "b[i] = u[i] | 1;", "b[i] = u[i] % u[i];"}) {
    INFO(may_not);
    CHECK(value(may_not).find("min(max(") != std::string::npos);
  }
}

TEST_CASE("a value that elements may not hold is found by the verifier") {
  Graph graph = Compile(Store("half", "float", "a[i]"));
  for (graph::Node& node : graph.nodes) {
    auto& op = std::get<graph::Operator>(node);
    op.value = std::get<graph::Call>(graph.exprs[op.value].node).arguments.front();
  }
  REQUIRE_FALSE(graph::Verify(graph).empty());
  CHECK(graph::Verify(graph).front().find("elements of u hold") != std::string::npos);
}

TEST_CASE("values of boundary modes are elements too") {
  const Graph graph = Compile(
      "parameter N; iterator i; half a[N]; float u[N]; copyin a; boundary a = constant(0.1);"
      "stencil s (u, a) { u[i] = a[i-1]; } s (u, a); copyout u;");
  CHECK(std::get<Floats>(Output(graph, {{"a", Floats{1, 2, 3, 4}}})) ==
        Floats{0.0999755859375F, 1, 2, 3});
}

TEST_CASE("elements of every format go to memory and back") {
  for (const ElementFormat format : kNarrowFormats) {
    CAPTURE(ToString(format));
    const bool floating = IsFloating(ValueTypeOf(format));
    graph::Values values = floating ? graph::Values(Floats{-2, 0, 0.1F, 1e5F, -1e-8F})
                                    : graph::Values(Ints{-100000, -3, 0, 90, 100000});
    graph::RoundToNearest(format, values);
    std::vector<std::uint8_t> bytes(graph::BytesOf(values, format));
    CHECK(bytes.size() == 5 * static_cast<std::size_t>(SizeInBytes(ValueTypeOf(format), format)));
    graph::StoreElements(values, format, bytes.data());
    graph::Values back = graph::MakeValues(ValueTypeOf(format), 5);
    graph::LoadElements(bytes.data(), format, back);
    CHECK(back == values);
  }
}

TEST_CASE("scalars and unknown types are refused") {
  const auto ids = [](const std::string& text) {
    const SourceFile source("p", text);
    DiagnosticSink sink;
    driver::PipelineOptions options;
    CHECK_FALSE(driver::CompileToGraph(source, options, sink).has_value());
    Texts found;
    for (const Diagnostic& diagnostic : sink.diagnostics()) found.emplace_back(diagnostic.id);
    return found;
  };
  CHECK(ids("parameter N; iterator i; half s; double u[N]; copyin u;"
            "stencil f (u, s) { u[i] = s; } f (u, s); copyout u;") == Texts{"narrow-scalar"});
  CHECK(ids("parameter N; iterator i; double u[N]; copyin u;"
            "stencil f (u) { uint8 n = 3; u[i] = n*u[i]; } f (u); copyout u;") ==
        Texts{"narrow-scalar"});
  CHECK(ids("parameter N; iterator i; half u[N]; bfloat16 v[N]; copyin u, v;"
            "iterate 3 { swap u, v; } copyout u;") == (Texts{"bad-swap", "no-calls"}));
}

TEST_CASE("names of narrow types are names elsewhere") {
  const Graph graph = Compile(
      "parameter N; iterator i; double half[N], uint8; copyin half;"
      "stencil int16 (half, uint8) { double bfloat16 = 0.5; half[i] = bfloat16*half[i]*uint8; }"
      "int16 (half, uint8); copyout half;");
  CHECK(graph.arrays.size() == 2);
}

TEST_CASE("graphs that programs build have narrow elements too") {
  graph::Builder b("narrow", {"i"});
  const graph::LinearForm n = b.Parameter("N", 4);
  const auto u = b.Array("u", {n}, ElementFormat::Half).CopyIn().CopyOut();
  const auto picture = b.Array("picture", {n}, ElementFormat::UInt8).CopyIn().CopyOut();
  b.Assign(u, {{0, n - 1}}, u(0) * b.Number(1.001, ScalarType::Float));
  b.Assign(picture, {{0, n - 1}}, picture(0) + picture(0));
  DiagnosticSink sink;
  const auto graph = b.Finish(sink);
  REQUIRE(graph);
  const graph::InterpretResult result = graph::Interpret(
      *graph, {4}, {{"u", Floats{1, 2, 1000, 65504}}, {"picture", Ints{1, 127, 128, 255}}});
  REQUIRE(result.error.empty());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK(std::get<Floats>(result.outputs[0]) ==
        Floats{1.0009765625F, 2.001953125F, 1001, kInfinity});
  CHECK(std::get<Ints>(result.outputs[1]) == Ints{2, 254, 255, 255});

  graph::Builder scalar("scalar", {"i"});
  scalar.Array("s", {}, ElementFormat::Half);
  DiagnosticSink refused;
  CHECK_FALSE(scalar.Finish(refused));
  CHECK(refused.diagnostics().at(0).message.find("only arrays have narrow elements") !=
        std::string::npos);
}

}  // namespace
}  // namespace stencilgen
