// The example schroedinger against what is known of its equation: solutions in closed form, and
// what is conserved. The interpreter runs it, whose agreement with all targets other tests check.
#include <cmath>
#include <complex>
#include <functional>
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

using Complex = std::complex<double>;
using Doubles = std::vector<double>;
using Amplitudes = std::vector<Complex>;
/// A value at each place (row, column).
using Field = std::function<Complex(int, int)>;
constexpr double kStep = 0.1;  // of the program

struct State {
  Amplitudes psi, old;
  Doubles density, norm;
};

Amplitudes Values(const Field& field, int rows, int columns) {
  Amplitudes values;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) values.push_back(field(j, i));
  }
  return values;
}

Doubles Parts(const Amplitudes& values, bool imaginary) {
  Doubles parts;
  for (const Complex& z : values) parts.push_back(imaginary ? z.imag() : z.real());
  return parts;
}

/// What the program makes of `psi` and the state a step before it.
State Run(int rows, int columns, int turns, const Field& psi, const Field& old,
          const Field& potential) {
  std::string text;
  for (const TestProgram& example : Examples()) {
    if (example.name == "schroedinger") text = example.text;
  }
  const SourceFile source("schroedinger", text);
  DiagnosticSink sink;
  const auto graph = driver::CompileToGraph(source, {}, sink);
  REQUIRE(graph);
  std::map<std::string, graph::Values> inputs;
  inputs["V"] = Parts(Values(potential, rows, columns), false);
  for (const auto& [name, field] : {std::pair{"psi", psi}, std::pair{"old", old}}) {
    const Amplitudes values = Values(field, rows, columns);
    inputs[std::string(name) + "_re"] = Parts(values, false);
    inputs[std::string(name) + "_im"] = Parts(values, true);
  }
  const graph::InterpretResult result = graph::Interpret(*graph, {rows, columns, turns}, inputs);
  REQUIRE(result.error.empty());
  std::map<std::string, Doubles> outputs;
  for (std::size_t n = 0; n < graph->outputs.size(); ++n) {
    outputs[graph->arrays[graph->outputs[n].array].name] = std::get<Doubles>(result.outputs[n]);
  }
  const auto joined = [&](const std::string& name) {
    Amplitudes values;
    for (std::size_t n = 0; n < outputs.at(name + "_re").size(); ++n) {
      values.emplace_back(outputs.at(name + "_re")[n], outputs.at(name + "_im")[n]);
    }
    return values;
  };
  return {joined("psi"), joined("old"), outputs.at("density"), outputs.at("norm")};
}

/// The largest difference.
double Error(const Amplitudes& values, const Field& field, int rows, int columns) {
  const Amplitudes expected = Values(field, rows, columns);
  double worst = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    worst = std::max(worst, std::abs(values[n] - expected[n]));
  }
  return worst;
}

/// Not symmetric, without jumps.
double Bump(int j, int i) {
  return std::sin(0.31 * j) * std::cos(0.23 * i) + 0.1 * std::sin(1.7 * i);
}

}  // namespace

TEST_CASE("schroedinger: a standing wave turns as the scheme has it, to the last digits") {
  const int rows = 24;
  const int columns = 31;
  const int turns = 200;
  const double potential = 0.7;
  const double a = 3 * std::numbers::pi / (rows + 1);
  const double b = 5 * std::numbers::pi / (columns + 1);
  const double turn = std::asin(kStep * (2 - std::cos(a) - std::cos(b) + potential));
  const auto state = [&](int step) -> Field {
    return [=](int j, int i) {
      return std::sin(a * (j + 1)) * std::sin(b * (i + 1)) * std::polar(1.0, -turn * step);
    };
  };
  const State last =
      Run(rows, columns, turns, state(0), state(-1), [&](int, int) { return Complex{potential}; });
  CHECK(Error(last.psi, state(turns), rows, columns) < 1e-12);
  CHECK(Error(last.old, state(turns - 1), rows, columns) < 1e-12);
  for (std::size_t n = 0; n < last.psi.size(); ++n) {
    CHECK(last.density[n] == Approx(std::norm(last.psi[n])).margin(1e-15));
  }
  CHECK(last.norm.at(0) == Approx(0.5 * std::sqrt((rows + 1.0) * (columns + 1.0))).epsilon(1e-12));
}

TEST_CASE("schroedinger: a free packet spreads as in closed form") {
  const int size = 97;
  const int middle = size / 2;
  const double spread = 6;  // of the density at first
  const auto state = [&](double time) -> Field {
    return [=](int row, int column) {
      const Complex growth{1, time / (2 * spread * spread)};
      const double j = row - middle;
      const double i = column - middle;
      return std::exp(-(j * j + i * i) / (4 * spread * spread * growth)) / growth;
    };
  };
  const State last = Run(size, size, 400, state(0), state(-kStep), [](int, int) { return 0.0; });
  double moment = 0;
  double whole = 0;
  for (int n = 0; n < size * size; ++n) {
    const double density = last.density[static_cast<std::size_t>(n)];
    const double i = n % size - middle;
    moment += density * i * i;
    whole += density;
  }
  const double time = 400 * kStep;
  CHECK(moment / whole ==
        Approx(spread * spread + time * time / (4 * spread * spread)).epsilon(0.01));
  CHECK(Error(last.psi, state(time), size, size) < 0.01);
}

TEST_CASE("schroedinger: what the leapfrog conserves stays, whatever the potential") {
  const int rows = 17;
  const int columns = 40;
  const Field psi = [](int j, int i) { return Complex{Bump(j, i), Bump(i, j)}; };
  const Field old = [](int j, int i) { return Complex{Bump(j + 1, i), -Bump(j, i)}; };
  const State last =
      Run(rows, columns, 333, psi, old, [](int j, int i) { return 2 + 2 * Bump(j, i); });
  const auto product = [](const Amplitudes& a, const Amplitudes& b) {
    double sum = 0;
    for (std::size_t n = 0; n < a.size(); ++n) sum += (std::conj(a[n]) * b[n]).real();
    return sum;
  };
  const double before = product(Values(psi, rows, columns), Values(old, rows, columns));
  CHECK(std::abs(before) > 1);
  CHECK(product(last.psi, last.old) == Approx(before).epsilon(1e-10));
}
