#include "tools/explain/metrics.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "support/match.h"

namespace stencilgen::driver {

namespace {

class Counter {
 public:
  Counter(const graph::Graph& graph, const graph::ParameterValues& parameters)
      : graph_(graph), parameters_(parameters) {}

  Work CountRegion(graph::RegionId region) const {
    Work work;
    for (const graph::NodeId node : graph_.regions[region].nodes) {
      const Work part = Match(
          graph_.nodes[node], [&](const graph::Operator& op) { return CountOperator(op); },
          [&](const graph::Loop& loop) { return CountLoop(loop); });
      work.points += part.points;
      work.flops += part.flops;
      work.bytes += part.bytes;
    }
    return work;
  }

 private:
  Work CountLoop(const graph::Loop& loop) const {
    const auto turns = static_cast<double>(graph::Evaluate(loop.turns, parameters_));
    Work work = CountRegion(loop.body);
    work.points *= turns;
    work.flops *= turns;
    work.bytes *= turns;
    return work;
  }

  Work CountOperator(const graph::Operator& op) const {
    if (TypeOf(op.result).rank() == 0) return {};
    std::map<int, double> extents;
    double points = 1;
    for (std::size_t i = 0; i < op.iterators.size(); ++i) {
      const graph::Range range = graph::Evaluate(op.domain.intervals[i], parameters_);
      extents[op.iterators[i]] = static_cast<double>(range.size());
      points *= static_cast<double>(range.size());
    }
    for (const graph::LinearForm& guard : op.domain.guards) {
      if (graph::Evaluate(guard, parameters_) < 0) points = 0;
    }
    if (points == 0) return {};

    // By version: the iterators that index it.
    std::map<graph::VersionId, std::set<int>> read;
    for (const graph::ExprId id : graph::Accesses(graph_, op)) {
      const auto& access = std::get<graph::Access>(graph_.exprs[id].node);
      if (access.indices.empty()) continue;
      std::set<int>& iterators = read[access.version];
      for (const graph::Index& index : access.indices) {
        if (index.iterator >= 0) iterators.insert(index.iterator);
      }
    }
    double bytes = points * SizeInBytes(TypeOf(op.result).type);
    for (const auto& [version, iterators] : read) {
      double elements = 1;
      for (const int iterator : iterators) elements *= extents[iterator];
      bytes += elements * SizeInBytes(TypeOf(version).type);
    }
    return {points, points * static_cast<double>(graph::FlopsPerPoint(graph_, op)), bytes};
  }

  const graph::Array& TypeOf(graph::VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }

  const graph::Graph& graph_;
  const graph::ParameterValues& parameters_;
};

}  // namespace

Work CountWork(const graph::Graph& graph, const graph::ParameterValues& parameters) {
  return Counter(graph, parameters).CountRegion(graph.root);
}

}  // namespace stencilgen::driver
