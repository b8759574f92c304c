#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "support/catch.h"
#include "support/suite.h"

namespace stencilgen::testing {

using Numbers = std::vector<double>;
using Sizes = std::map<std::string, std::int64_t>;
inline constexpr double kPi = std::numbers::pi;

/// A program of the suite, its inputs by name, and its results.
class Physics {
 public:
  Physics(const std::string& name, const Sizes& sizes) {
    const Benchmark benchmark = BenchmarkNamed(name);
    REQUIRE(benchmark.suite == 'D');
    const SourceFile source(name, benchmark.text);
    DiagnosticSink sink;
    auto graph = driver::CompileToGraph(source, {}, sink);
    REQUIRE(graph);
    graph_ = *std::move(graph);
    for (const graph::Parameter& parameter : graph_.parameters) {
      parameters_.push_back(parameter.turn ? 1 : sizes.at(parameter.name));
    }
    for (const auto& [scalar, value] : benchmark.scalars) inputs_[scalar] = Numbers{value};
  }

  void SetScalar(const std::string& name, double value) { inputs_[name] = Numbers{value}; }
  /// f(places along the dimensions, outermost first).
  void Set(const std::string& name, const std::function<double(const std::vector<int>&)>& f) {
    const std::vector<int> shape = Shape(name);
    Numbers values;
    std::vector<int> place(shape.size(), 0);
    const int count = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
    for (int n = 0; n < count; ++n) {
      values.push_back(f(place));
      for (std::size_t d = shape.size(); d-- > 0;) {
        if (++place[d] < shape[d]) break;
        place[d] = 0;
      }
    }
    inputs_[name] = std::move(values);
  }
  const Numbers& Input(const std::string& name) const {
    return std::get<Numbers>(inputs_.at(name));
  }

  void Run() {
    const graph::InterpretResult result = graph::Interpret(graph_, parameters_, inputs_);
    REQUIRE(result.error.empty());
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      outputs_[graph_.arrays[graph_.outputs[i].array].name] = std::get<Numbers>(result.outputs[i]);
    }
  }
  const Numbers& Output(const std::string& name) const { return outputs_.at(name); }
  /// Largest difference of an output from f.
  double Error(const std::string& name, const std::function<double(const std::vector<int>&)>& f) {
    const Numbers result = Output(name);
    Set(name, f);
    double worst = 0;
    for (std::size_t n = 0; n < result.size(); ++n) {
      worst = std::max(worst, std::abs(result[n] - Input(name)[n]));
    }
    return worst;
  }

 private:
  std::vector<int> Shape(const std::string& name) const {
    for (const graph::Array& array : graph_.arrays) {
      if (array.local || array.name != name) continue;
      std::vector<int> shape;
      for (const auto& extent : array.extents) {
        shape.push_back(static_cast<int>(graph::Evaluate(extent, parameters_)));
      }
      return shape;
    }
    FAIL("no array " << name);
    return {};
  }

  graph::Graph graph_;
  graph::ParameterValues parameters_;
  std::map<std::string, graph::Values> inputs_;
  std::map<std::string, Numbers> outputs_;
};

inline double Sum(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Not symmetric, without jumps.
inline double Bump(const std::vector<int>& place) {
  return std::sin(0.31 * place[0]) * std::cos(0.23 * place[1]) + 0.1 * std::sin(1.7 * place[1]);
}

}  // namespace stencilgen::testing
