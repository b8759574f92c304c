// The examples that solve -laplace(u) = f against a solution in closed form: sines are
// eigenfunctions of the five-point Laplacian. The interpreter runs them, whose agreement with all
// targets other tests check.
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "support/catch.h"
#include "support/suite.h"

using namespace stencilgen;
using namespace stencilgen::testing;

namespace {

using Doubles = std::vector<double>;
using Fields = std::map<std::string, Doubles>;

Fields Run(const std::string& name, const std::map<std::string, std::int64_t>& sizes,
           const Fields& inputs) {
  std::string text;
  for (const TestProgram& example : Examples()) {
    if (example.name == name) text = example.text;
  }
  const SourceFile source(name, text);
  DiagnosticSink sink;
  const auto graph = driver::CompileToGraph(source, {}, sink);
  REQUIRE(graph);
  std::vector<std::int64_t> parameters;
  for (const graph::Parameter& each : graph->parameters) parameters.push_back(sizes.at(each.name));
  const std::map<std::string, graph::Values> values(inputs.begin(), inputs.end());
  const graph::InterpretResult result = graph::Interpret(*graph, parameters, values);
  REQUIRE(result.error.empty());
  Fields outputs;
  for (std::size_t n = 0; n < graph->outputs.size(); ++n) {
    outputs[graph->arrays[graph->outputs[n].array].name] = std::get<Doubles>(result.outputs[n]);
  }
  return outputs;
}

/// sin(a x) sin(b y), which is zero on the edge, of intervals between points, and what the
/// five-point Laplacian times -1 makes of it.
struct Wave {
  Wave(int down, int right)
      : rows(down + 1),
        columns(right + 1),
        a(2 * std::numbers::pi / down),
        b(std::numbers::pi / right) {}

  double At(int j, int i) const { return std::sin(a * j) * std::sin(b * i); }
  Doubles Values(double factor, int skipped) const {
    Doubles values;
    for (int j = skipped; j < rows - skipped; ++j) {
      for (int i = skipped; i < columns - skipped; ++i) values.push_back(factor * At(j, i));
    }
    return values;
  }
  double eigenvalue() const { return 4 - 2 * std::cos(a) - 2 * std::cos(b); }

  int rows, columns;
  double a, b;
};

double Largest(const Doubles& a, const Doubles& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t n = 0; n < a.size(); ++n) worst = std::max(worst, std::abs(a[n] - b[n]));
  return worst;
}

}  // namespace

TEST_CASE("conjugate gradients solve Poisson's equation") {
  const Wave wave(24, 31);
  Doubles start = wave.Values(0, 1);
  for (std::size_t n = 0; n < start.size(); ++n) start[n] = std::sin(1.7 * static_cast<double>(n));
  const Fields outputs = Run("cg", {{"M", wave.rows - 2}, {"N", wave.columns - 2}, {"T", 200}},
                             {{"x", start}, {"b", wave.Values(wave.eigenvalue(), 1)}});
  // The error is at most the residual divided by the least eigenvalue.
  const double residual = outputs.at("residual").front();
  const double least = 4 - 2 * std::cos(wave.a / 2) - 2 * std::cos(wave.b);
  CHECK(residual < 1e-4);
  CHECK(Largest(outputs.at("x"), wave.Values(1, 1)) < residual / least);
}

TEST_CASE("a multigrid cycle makes the defect five times smaller at least") {
  const Wave wave(32, 40);
  Doubles start = wave.Values(0, 0);
  for (int j = 1; j + 1 < wave.rows; ++j) {
    for (int i = 1; i + 1 < wave.columns; ++i) {
      start[static_cast<std::size_t>(j * wave.columns + i)] = std::sin(1.7 * j * i);
    }
  }
  const Fields inputs = {{"u", start}, {"f", wave.Values(wave.eigenvalue(), 0)}, {"goal", {1e-12}}};
  const auto run = [&](std::int64_t cycles) {
    return Run("multigrid", {{"M", 5}, {"N", 6}, {"T", cycles}, {"C", 40}}, inputs);
  };
  double before = run(1).at("residual").front();
  for (const int cycles : {2, 3, 4, 5}) {
    const double after = run(cycles).at("residual").front();
    CHECK(after < before / 5);
    before = after;
  }
  const Fields solved = run(30);
  CHECK(Largest(solved.at("u"), wave.Values(1, 0)) < 1e-11);
  // It ends when the goal is reached.
  CHECK(solved.at("residual").front() <= 1e-12);
}
