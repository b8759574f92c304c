#include "support/suite_bodies.h"

#include <algorithm>

#include "driver/pipeline.h"
#include "support/check.h"

namespace stencilgen::testing {
namespace {

/// True where `op` reads a result of the run elsewhere than at its own point.
bool ReadsElsewhere(const graph::Graph& graph, const std::vector<const graph::Operator*>& run,
                    const graph::Operator& op) {
  for (graph::ExprId id : graph::Accesses(graph, op)) {
    const auto& access = std::get<graph::Access>(graph.exprs[id].node);
    for (const graph::Operator* other : run) {
      if (other->result == access.version && access.indices != other->target) return true;
    }
  }
  return false;
}

void CollectRuns(const graph::Graph& graph, graph::RegionId region,
                 std::vector<std::vector<const graph::Operator*>>& runs) {
  runs.emplace_back();
  for (graph::NodeId node : graph.regions[region].nodes) {
    if (const auto* loop = std::get_if<graph::Loop>(&graph.nodes[node])) {
      CollectRuns(graph, loop->body, runs);
      runs.emplace_back();
      continue;
    }
    const auto& op = std::get<graph::Operator>(graph.nodes[node]);
    if (op.target.empty()) continue;
    const auto& run = runs.back();
    if (!run.empty() && (run[0]->iterators != op.iterators || ReadsElsewhere(graph, run, op))) {
      runs.emplace_back();
    }
    runs.back().push_back(&op);
  }
}

}  // namespace

std::vector<std::vector<const graph::Operator*>> OperatorRuns(const graph::Graph& graph) {
  std::vector<std::vector<const graph::Operator*>> runs;
  CollectRuns(graph, graph.root, runs);
  runs.erase(std::remove_if(runs.begin(), runs.end(), [](const auto& run) { return run.empty(); }),
             runs.end());
  return runs;
}

kernel::Body BodyOfRun(const graph::Graph& graph, const std::vector<const graph::Operator*>& run,
                       const std::vector<int>& unroll, kernel::Distribute distribute) {
  std::vector<std::vector<std::int64_t>> points(run[0]->iterators.size(), {0});
  for (std::size_t n = 0; n < std::min(points.size(), unroll.size()); ++n) {
    for (int point = 1; point < unroll[n]; ++point) points[n].push_back(point);
  }
  return kernel::LowerBody(graph, run, kernel::StatementsAt(run.size(), points), distribute);
}

graph::Graph GraphOfText(const std::string& text) {
  const SourceFile source("program.idsl", text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, {}, sink);
  STENCILGEN_CHECK(graph.has_value());
  return *std::move(graph);
}

}  // namespace stencilgen::testing
