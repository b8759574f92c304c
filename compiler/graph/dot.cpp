#include <map>

#include <fmt/format.h>

#include "graph/dependences.h"
#include "graph/print.h"
#include "support/code_writer.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

std::string_view KindText(DependenceKind kind) {
  switch (kind) {
    case DependenceKind::ReadAfterWrite:
      return "RAW";
    case DependenceKind::WriteAfterRead:
      return "WAR";
    case DependenceKind::WriteAfterWrite:
      return "WAW";
    case DependenceKind::ReadAfterRead:
      return "RAR";
  }
  return "?";
}

std::string DistanceText(const Distance& distance) {
  if (!distance.known) return "*";
  if (distance.min == distance.max) return fmt::format("{}", distance.min);
  return fmt::format("{}..{}", distance.min, distance.max);
}

class DotPrinter {
 public:
  DotPrinter(const Graph& graph, const std::vector<DotCluster>& clusters)
      : graph_(graph),
        clusters_(clusters),
        parameters_(ParameterNames(graph)),
        versions_(VersionNames(graph)) {
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      for (const NodeId node : clusters[c].nodes) cluster_of_[node] = c;
    }
  }

  std::string Print() {
    {
      const auto scope = writer_.Block(R"(digraph "{}")", graph_.name);
      writer_.Line("node [shape=box];");
      PrintRegion(graph_.root);
    }
    return writer_.str();
  }

 private:
  void PrintRegion(RegionId region) {
    for (const NodeId id : graph_.regions[region].nodes) {
      Match(
          graph_.nodes[id],
          [&](const Operator& op) {
            const auto at = cluster_of_.find(id);
            if (at == cluster_of_.end()) return PrintOperator(id, op);
            if (clusters_[at->second].nodes.front() == id) PrintCluster(at->second);
          },
          [&](const Loop& loop) {
            const auto scope = writer_.Block("subgraph cluster_{}", id.index);
            // Edges to the loop end at a node of their own inside the cluster.
            writer_.Line(R"(n{} [label="loop {}{}", shape=plaintext];)", id.index,
                         TurnsText(loop, parameters_), StopText(loop, parameters_, versions_));
            PrintRegion(loop.body);
          });
    }
    for (const Dependence& dependence : FindDependences(graph_, region)) PrintEdge(dependence);
  }

  void PrintCluster(std::size_t number) {
    const DotCluster& cluster = clusters_[number];
    const auto scope = writer_.Block("subgraph cluster_kernel_{}", number);
    writer_.Line(R"(label="{}";)", cluster.label);
    writer_.Line("style=filled; fillcolor=lightgrey;");
    for (const NodeId id : cluster.nodes) PrintOperator(id, std::get<Operator>(graph_.nodes[id]));
  }
  void PrintOperator(NodeId id, const Operator& op) {
    writer_.Line(R"(n{} [label="{} = {}\n{}"];)", id.index, versions_[op.result.index], op.stencil,
                 PrintDomain(graph_, op));
  }

  void PrintEdge(const Dependence& dependence) {
    std::vector<std::string> distances;
    for (const Distance& distance : dependence.distance) {
      distances.push_back(DistanceText(distance));
    }
    const bool flow = dependence.kind == DependenceKind::ReadAfterWrite;
    writer_.Line(R"dot(n{} -> n{} [label="{} {} ({})"{}];)dot", dependence.from.index,
                 dependence.to.index, KindText(dependence.kind),
                 versions_[dependence.version.index], fmt::join(distances, ", "),
                 flow ? "" : ", style=dashed");
  }

  const Graph& graph_;
  const std::vector<DotCluster>& clusters_;
  std::map<NodeId, std::size_t> cluster_of_;
  const std::vector<std::string> parameters_;
  const std::vector<std::string> versions_;
  CodeWriter writer_;
};

}  // namespace

std::string PrintDot(const Graph& graph, const std::vector<DotCluster>& clusters) {
  return DotPrinter(graph, clusters).Print();
}

}  // namespace stencilgen::graph
