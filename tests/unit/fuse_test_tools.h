#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/pipeline.h"
#include "plan/fusion.h"
#include "support/catch.h"
#include "support/suite.h"

/// What the tests of greedy fusion share.
namespace stencilgen::testing {

inline graph::Graph GraphOf(const std::string& text, const driver::PipelineOptions& options = {}) {
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(SourceFile("p.idsl", text), options, sink);
  REQUIRE(graph);
  return *std::move(graph);
}

inline Benchmark BenchmarkCalled(const std::string& name) {
  for (const Benchmark& benchmark : Benchmarks()) {
    if (benchmark.name == name) return benchmark;
  }
  FAIL("no benchmark " << name);
  return {};
}

/// Operators by their places, from 1: `1 2 13 14`.
inline std::string Text(const std::vector<int>& places) {
  std::vector<int> numbers = places;
  for (int& number : numbers) ++number;
  return fmt::format("{}", fmt::join(numbers, " "));
}
inline std::string Text(const plan::FusionCandidate& candidate) {
  return fmt::format("{} + {}", Text(candidate.left), Text(candidate.right));
}

/// The region's clusters as `1 2|3|4 5`, each by its operators' places from 1, by the first.
inline std::string ClustersOf(const plan::RegionFusion& region) {
  std::vector<std::vector<int>> clusters;
  for (const std::vector<graph::NodeId>& cluster : region.clusters) {
    std::vector<int> places;
    for (const graph::NodeId node : cluster) {
      const auto at = std::find(region.operators.begin(), region.operators.end(), node);
      places.push_back(static_cast<int>(at - region.operators.begin()));
    }
    clusters.push_back(places);
  }
  std::sort(clusters.begin(), clusters.end());
  std::vector<std::string> texts;
  for (const std::vector<int>& cluster : clusters) texts.push_back(Text(cluster));
  return fmt::format("{}", fmt::join(texts, "|"));
}

/// The pairs that were fused, in order.
inline std::vector<std::string> TakenIn(const plan::RegionFusion& region) {
  std::vector<std::string> taken;
  for (const plan::FusionStep& step : region.steps) {
    if (step.taken) taken.push_back(Text(*step.taken));
  }
  return taken;
}

}  // namespace stencilgen::testing
