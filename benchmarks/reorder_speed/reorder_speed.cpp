// What reordering makes of suite B: instructions, MAXLIVE and time of each body with
// either scheduler, as it is and unrolled. Arguments: names of programs, all without.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/liveness.h"
#include "kernel/verify.h"
#include "passes/reorder.h"
#include "support/suite.h"
#include "support/suite_bodies.h"

namespace stencilgen {
namespace {

using kernel::Body;

struct Reordered {
  int max_live = 0;
  double milliseconds = 0;
};

Reordered Measure(const Body& body, const std::function<Body(const Body&)>& reorder) {
  // Of the processor: others on the machine do not count.
  const std::clock_t start = std::clock();
  const Body result = reorder(body);
  Reordered reordered;
  reordered.milliseconds = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto problems = kernel::Verify(result);
  if (!problems.empty()) fmt::print("  {}\n", problems.front());
  reordered.max_live = kernel::MaxLive(result);
  return reordered;
}

Reordered With(passes::Reorder how, const Body& body) {
  return Measure(body, [&](const Body& each) {
    passes::ReorderOptions options;
    options.how = how;
    return passes::ReorderBody(each, options);
  });
}

void Report(const std::string& name, const std::string& unroll, const Body& body) {
  const Reordered trees = With(passes::Reorder::Trees, body);
  const Reordered lars = With(passes::Reorder::Lars, body);
  fmt::print("{:<24} {:>8} {:>12} {:>8} {:>8} {:>9.1f} {:>8} {:>9.1f}\n", name, unroll,
             body.instructions.size(), kernel::MaxLive(body), trees.max_live, trees.milliseconds,
             lars.max_live, lars.milliseconds);
  std::fflush(stdout);
}

void ReportProgram(const testing::Benchmark& benchmark) {
  const graph::Graph graph = testing::GraphOfText(benchmark.text);
  const auto runs = testing::OperatorRuns(graph);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::string name =
        runs.size() == 1 ? benchmark.name : fmt::format("{}:{}", benchmark.name, k);
    const std::size_t rank = runs[k][0]->iterators.size();
    std::vector<std::vector<int>> unrolls = {{1}, {4}, std::vector<int>(rank, 1)};
    unrolls.back().back() = 4;
    if (rank > 1) unrolls.push_back({2, 2});
    for (const auto& unroll : unrolls) {
      Report(name, fmt::format("{}", fmt::join(unroll, "x")),
             testing::BodyOfRun(graph, runs[k], unroll));
    }
  }
}

}  // namespace
}  // namespace stencilgen

int main(int argc, char** argv) {
  const std::vector<std::string> names(argv + 1, argv + argc);
  fmt::print("{:<24} {:>8} {:>12} {:>8} {:>8} {:>9} {:>8} {:>9}\n", "body", "unroll",
             "instructions", "MAXLIVE", "trees", "ms", "lars", "ms");
  for (const auto& benchmark : stencilgen::testing::Benchmarks()) {
    const bool wanted = names.empty()
                            ? benchmark.suite == 'B'
                            : std::find(names.begin(), names.end(), benchmark.name) != names.end();
    if (wanted) stencilgen::ReportProgram(benchmark);
  }
}
