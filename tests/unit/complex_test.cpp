#include <algorithm>
#include <complex>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ast/print.h"
#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "sema/expand_complex.h"
#include "support/catch.h"
#include "support/parse_text.h"

// Complex numbers: what programs with them compute, next to std::complex.
namespace stencilgen {
namespace {

using Complex = std::complex<double>;
using Numbers = std::vector<Complex>;
using Doubles = std::vector<double>;
using Arrays = std::map<std::string, Numbers>;

constexpr Complex kI{0, 1};

/// Deterministic values with parts in [-2, 2].
Numbers Noise(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> parts(-2, 2);
  Numbers noise(count);
  for (Complex& z : noise) {
    const double re = parts(random);
    z = {re, parts(random)};
  }
  return noise;
}

/// The outputs of the program by name, pairs put together; a real array has no imaginary parts.
Arrays Run(const std::string& text, const Arrays& complex,
           const std::map<std::string, Doubles>& real = {}) {
  const SourceFile source("p", text);
  DiagnosticSink sink;
  const auto graph = driver::CompileToGraph(source, {}, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  CHECK(graph::Verify(*graph) == std::vector<std::string>{});
  std::map<std::string, graph::Values> inputs;
  for (const auto& [name, values] : complex) {
    Doubles re;
    Doubles im;
    for (const Complex& z : values) {
      re.push_back(z.real());
      im.push_back(z.imag());
    }
    inputs[name + "_re"] = re;
    inputs[name + "_im"] = im;
  }
  for (const auto& [name, values] : real) inputs[name] = values;
  graph::ParameterValues sizes;
  for (const graph::Parameter& parameter : graph->parameters) {
    sizes.push_back(parameter.default_value.value_or(1));
  }
  const graph::InterpretResult result = graph::Interpret(*graph, sizes, inputs);
  REQUIRE(result.error.empty());
  Arrays outputs;
  for (std::size_t n = 0; n < result.outputs.size(); ++n) {
    std::string name = graph->arrays[graph->outputs[n].array].name;
    const bool imaginary = name.size() > 3 && name.substr(name.size() - 3) == "_im";
    if (name.size() > 3 && (imaginary || name.substr(name.size() - 3) == "_re")) {
      name.resize(name.size() - 3);
    }
    Numbers& whole = outputs[name];
    whole.resize(graph::SizeOf(result.outputs[n]));
    for (std::size_t i = 0; i < whole.size(); ++i) {
      whole[i] += graph::ElementAsDouble(result.outputs[n], i) * (imaginary ? kI : Complex{1});
    }
  }
  return outputs;
}

void CheckNear(const Numbers& actual, const Numbers& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    INFO(i << ": " << actual[i] << " and " << expected[i]);
    CHECK(std::abs(actual[i] - expected[i]) <= 1e-14 * (1 + std::abs(expected[i])));
  }
}

struct Case {
  std::string expression;
  std::function<Complex(Complex a, Complex b, double x, Complex w)> value;
};

const std::vector<Case> kCases = {
    {"a[i] + b[i]", [](auto a, auto b, auto, auto) { return a + b; }},
    {"a[i] - b[i]", [](auto a, auto b, auto, auto) { return a - b; }},
    {"a[i]*b[i]", [](auto a, auto b, auto, auto) { return a * b; }},
    {"a[i]/b[i]", [](auto a, auto b, auto, auto) { return a / b; }},
    {"-a[i] + +b[i]", [](auto a, auto b, auto, auto) { return -a + b; }},
    {"x[i]*a[i] - a[i]*x[i]*2", [](auto a, auto, auto x, auto) { return x * a - a * x * 2.0; }},
    {"x[i]/a[i] + a[i]/x[i]", [](auto a, auto, auto x, auto) { return x / a + a / x; }},
    {"x[i] - a[i] - x[i] + 1", [](auto a, auto, auto x, auto) { return x - a - x + 1.0; }},
    {"2i*a[i] + 1i", [](auto a, auto, auto, auto) { return 2.0 * kI * a + kI; }},
    {"a[i]/0.5i - 3i/b[i]",
     [](auto a, auto b, auto, auto) { return a / (0.5 * kI) - 3.0 * kI / b; }},
    {"1i*1i*x[i] + 2i/4i", [](auto, auto, auto x, auto) { return Complex{-x + 0.5}; }},
    {"w*a[i]*b[i]*(a[i] - b[i])*w",
     [](auto a, auto b, auto, auto w) { return w * a * b * (a - b) * w; }},
    {"(a[i] + b[i])/(a[i] - b[i])/w",
     [](auto a, auto b, auto, auto w) { return (a + b) / (a - b) / w; }},
    {"conj(a[i])*b[i] + conj(x[i]) + conj(2i)",
     [](auto a, auto b, auto x, auto) { return std::conj(a) * b + x - 2.0 * kI; }},
    {"real(a[i]*b[i]) + 1i*imag(a[i] + w)",
     [](auto a, auto b, auto, auto w) { return (a * b).real() + kI * (a + w).imag(); }},
    {"real(2i) + imag(x[i]) + abs(3i) + abs2(2i)",
     [](auto, auto, auto, auto) { return Complex{7}; }},
    {"abs(a[i] + b[i]) + 1i*abs2(a[i]*b[i])",
     [](auto a, auto b, auto, auto) { return std::abs(a + b) + kI * std::norm(a * b); }},
    {"arg(a[i]) + arg(-2.0) + arg(1i)",
     [](auto a, auto, auto, auto) { return Complex{std::arg(a) + std::arg(-2.0) + std::arg(kI)}; }},
    {"exp(a[i]) + exp(1i*x[i]) + exp(x[i])",
     [](auto a, auto, auto x, auto) { return std::exp(a) + std::exp(kI * x) + std::exp(x); }},
    {"a[i]^0 + a[i]^1 + a[i]^2", [](auto a, auto, auto, auto) { return 1.0 + a + a * a; }},
    {"(a[i] + b[i])^5 + a[i]^-3",
     [](auto a, auto b, auto, auto) {
       const Complex s = a + b;
       return s * s * s * s * s + 1.0 / (a * a * a);
     }},
    {"a[i] == a[i] ? b[i] : w", [](auto, auto b, auto, auto) { return b; }},
    {"a[i] != w && b[i] == w ? b[i] : 2.0", [](auto, auto, auto, auto) { return Complex{2}; }},
    {"x[i] > 0.0 ? a[i] : x[i]", [](auto a, auto, auto x, auto) { return x > 0 ? a : x; }},
    {"max(abs(a[i]), real(b[i]))*1i",
     [](auto a, auto b, auto, auto) { return std::max(std::abs(a), b.real()) * kI; }},
};

const std::vector<std::pair<std::string, std::function<Complex(Complex, Complex)>>> kUpdates = {
    {"a[i] = 1i*a[i];", [](auto a, auto) { return kI * a; }},
    {"a[i] += b[i];", [](auto a, auto b) { return a + b; }},
    {"a[i] -= 2i;", [](auto a, auto) { return a - 2.0 * kI; }},
    {"a[i] += 2.5;", [](auto a, auto) { return a + 2.5; }},
    {"a[i] *= b[i];", [](auto a, auto b) { return a * b; }},
    {"a[i] *= 3i;", [](auto a, auto) { return a * 3.0 * kI; }},
    {"a[i] *= 0.5;", [](auto a, auto) { return a * 0.5; }},
    {"a[i] /= b[i]*b[i];", [](auto a, auto b) { return a / (b * b); }},
    {"a[i] /= 2i;", [](auto a, auto) { return a / (2.0 * kI); }},
    {"a[i] = conj(a[i]) + a[i]*a[i];", [](auto a, auto) { return std::conj(a) + a * a; }},
    {"stencil s (z, y) { complex t = z[i], u = 2.0*t; t = 1i*t; u *= t; z[i] = u + y[i]; } s (a, "
     "b);",
     [](auto a, auto b) { return 2.0 * a * kI * a + b; }},
    {"stencil s (z) { z[i] = 1i*z[i]; } s (a); s (a); swap a, b; a[i] = b[i];",
     [](auto a, auto) { return -a; }},
};

TEST_CASE("each operation gives what std::complex gives", "[complex]") {
  const Complex w{0.75, -1.25};
  constexpr std::size_t kCount = 17;
  const Numbers a = Noise(kCount, 1);
  const Numbers b = Noise(kCount, 2);
  Doubles x;
  for (const Complex& z : Noise(kCount, 3)) x.push_back(z.real());
  for (const Case& c : kCases) {
    INFO(c.expression);
    const std::string text =
        "parameter N=17; iterator i; complex a[N], b[N], w, out[N]; double x[N];"
        "copyin a, b, x; out[i] = " +
        c.expression + "; copyout out;";
    Numbers expected;
    for (std::size_t i = 0; i < kCount; ++i) expected.push_back(c.value(a[i], b[i], x[i], w));
    CheckNear(Run(text, {{"a", a}, {"b", b}, {"w", {w}}}, {{"x", x}}).at("out"), expected);
  }
}

TEST_CASE("updates read both parts before they write either", "[complex]") {
  const Numbers a = Noise(9, 4);
  const Numbers b = Noise(9, 5);
  for (const auto& [statements, value] : kUpdates) {
    INFO(statements);
    const std::string text =
        "parameter N=9; iterator i; complex a[N], b[N]; copyin a, b;" + statements + "copyout a;";
    Numbers expected;
    for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(value(a[i], b[i]));
    CheckNear(Run(text, {{"a", a}, {"b", b}}).at("a"), expected);
  }
}

TEST_CASE("both parts are computed where all that either reads exists", "[complex]") {
  const Numbers a = Noise(12, 6);
  const Numbers b = Noise(12, 7);
  const std::string head =
      "parameter N=12; iterator i; complex a[N], b[N]; double x[N]; copyin a, b, x;";
  const Doubles x(12, 0.5);
  Numbers expected = a;
  for (std::size_t i = 2; i < 11; ++i) expected[i] = b[i - 2].real() + kI * b[i + 1].imag();
  CheckNear(Run(head + "a[i] = real(b[i-2]) + 1i*imag(b[i+1]); copyout a;", {{"a", a}, {"b", b}},
                {{"x", x}})
                .at("a"),
            expected);
  // A sum that is gathered: no part is left with half of it.
  expected = a;
  for (std::size_t i = 3; i < 12; ++i) expected[i] = b[i] + 0.5;
  CheckNear(Run(head + "stencil s (A) { A[i] = b[i]; A[i] += x[i-3]; } s (a); copyout a;",
                {{"a", a}, {"b", b}}, {{"x", x}})
                .at("a"),
            expected);
  // Of a local array and a scalar of each point.
  expected = a;
  for (std::size_t i = 1; i < 9; ++i) {
    const auto t = [&](std::size_t at) { return b[at - 1] * b[at + 2] * b[at]; };
    if (i >= 2) expected[i] = t(i - 1) + b[i + 3];
  }
  CheckNear(Run(head + "stencil s (A, B) { complex t[N], h = B[i+3]; t[i] = B[i-1]*B[i+2]*B[i];"
                       "A[i] = t[i-1] + h; } s (a, b); copyout a;",
                {{"a", a}, {"b", b}}, {{"x", x}})
                .at("a"),
            expected);
}

TEST_CASE("complex values outside an array", "[complex]") {
  const Numbers b = Noise(5, 8);
  const std::string head = "parameter N=5; iterator i; complex a[N], b[N]; copyin b; boundary b = ";
  const std::string rest = "; a[i] = b[i-1] + 2.0*b[i+1]; copyout a;";
  const auto expect = [&](Complex before, Complex after) {
    Numbers sums;
    for (std::size_t i = 0; i < 5; ++i) {
      sums.push_back((i == 0 ? before : b[i - 1]) + 2.0 * (i == 4 ? after : b[i + 1]));
    }
    return sums;
  };
  const Complex outside{0.5, -2};
  CheckNear(Run(head + "constant(0.5 - 2i)" + rest, {{"b", b}}).at("a"), expect(outside, outside));
  CheckNear(Run(head + "constant(3i)" + rest, {{"b", b}}).at("a"), expect(3.0 * kI, 3.0 * kI));
  CheckNear(Run(head + "wrap" + rest, {{"b", b}}).at("a"), expect(b[4], b[0]));
  CheckNear(Run(head + "[clamp]" + rest, {{"b", b}}).at("a"), expect(b[0], b[4]));
}

TEST_CASE("sums and norms of complex numbers", "[complex]") {
  const Numbers a = Noise(50, 9);
  const Numbers b = Noise(50, 10);
  Complex inner = 0;
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) inner += std::conj(a[i]) * b[i];
  for (std::size_t i = 1; i < a.size(); ++i) squares += std::norm(a[i] * b[i - 1]);
  const Arrays outputs =
      Run("parameter N=50; iterator i; complex a[N], b[N], s, t; double n; copyin a, b;"
          "s = sum(conj(a[i])*b[i]); n = norm2(a[i]*b[i-1]); t = 1i*s + n;"
          "copyout s, n, t;",
          {{"a", a}, {"b", b}});
  CHECK(std::abs(outputs.at("s").at(0) - inner) < 1e-12);
  CHECK(std::abs(outputs.at("n").at(0) - std::sqrt(squares)) < 1e-12);
  CHECK(std::abs(outputs.at("t").at(0) - (kI * inner + std::sqrt(squares))) < 1e-12);
}

TEST_CASE("loops with complex arrays, scalars and conditions", "[complex]") {
  const Arrays outputs =
      Run("parameter N=3, T=20; iterator i; complex a[N], film[4,N], w, s; copyin a, film, w;"
          "iterate t : 8 { a[i] *= w; every 2 : film[t/2][i] = a[i]; }"
          "iterate T until abs(s) > 100.0 { a[i] *= 2i; s = sum(a[i]); }"
          "copyout a, film, s;",
          {{"a", {1.0, 2.0 * kI, {1, 1}}}, {"w", {{0.0, 1.0}}}, {"film", Numbers(12)}});
  // The sum is 2 + 3i at first; (2i)^5 times it is the first of more than 100.
  CheckNear(outputs.at("s"), {32.0 * kI * Complex{2, 3}});
  CheckNear(outputs.at("film"), {-1.0,
                                 -2.0 * kI,
                                 {-1, -1},
                                 1.0,
                                 2.0 * kI,
                                 {1, 1},
                                 -1.0,
                                 -2.0 * kI,
                                 {-1, -1},
                                 1.0,
                                 2.0 * kI,
                                 {1, 1}});
}

TEST_CASE("what is real in a program with complex numbers stays the tree that it was",
          "[complex]") {
  const testing::Parsed parsed(
      "parameter N=9;\niterator i;\ncomplex z[N];\ndouble x[N];\n"
      "stencil s (A) {\n  A[i] = sqrt(x[i-1]) + 2.0*x[i+1];\n}\ns (x);\nz[i] = x[i];\ncopyout x, "
      "z;\n");
  REQUIRE(parsed.program);
  DiagnosticSink sink;
  REQUIRE(sema::HasComplex(*parsed.program));
  const sema::RealProgram real = sema::ExpandComplex(*parsed.program, sink);
  CHECK_FALSE(sink.HasErrors());
  CHECK(ast::Print(real.program) ==
        "parameter N=9;\niterator i;\ndouble z_re[N], z_im[N];\ndouble x[N];\n\n"
        "stencil s (A) {\n  A[i] = sqrt(x[i-1]) + 2.0 * x[i+1];\n}\n\n"
        "stencil set_z () {\n  z_re[i] = x[i];\n  z_im[i] = 0.0;\n}\n\n"
        "s (x);\nset_z ();\n\ncopyout x, z_re, z_im;\n");
  const auto& before = std::get<ast::Assignment>(parsed.program->stencils[0].items[0]);
  const auto& after = std::get<ast::Assignment>(real.program.stencils[0].items[0]);
  CHECK(before.value == after.value);
}

TEST_CASE("products of large expressions do not double with each factor", "[complex]") {
  std::string product = "(a[i] + 1i)";
  for (int n = 0; n < 60; ++n) product += "*(a[i] + 1i)/(2.0 + b[i])";
  const SourceFile source(
      "p", "parameter N=9; iterator i; complex a[N], b[N]; copyin a, b; a[i] = " + product +
               "; copyout a;");
  DiagnosticSink sink;
  const auto graph = driver::CompileToGraph(source, {}, sink);
  REQUIRE(graph.has_value());
  CHECK(graph::Print(*graph).size() < 200'000);
}

}  // namespace
}  // namespace stencilgen
