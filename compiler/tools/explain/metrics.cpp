#include "tools/explain/metrics.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "graph/turns.h"
#include "support/match.h"

namespace stencilgen::driver {

namespace {

class Counter {
 public:
  Counter(const graph::Graph& graph, const graph::ParameterValues& parameters)
      : graph_(graph), parameters_(parameters) {}

  Work CountRegion(graph::RegionId region) {
    Work work;
    for (const graph::NodeId node : graph_.regions[region].nodes) {
      Add(Match(
              graph_.nodes[node], [&](const graph::Operator& op) { return CountOperator(op); },
              [&](const graph::Loop& loop) { return CountLoop(loop); }),
          1, work);
    }
    return work;
  }

 private:
  static void Add(const Work& part, double times, Work& work) {
    work.points += times * part.points;
    work.flops += times * part.flops;
    work.bytes += times * part.bytes;
  }

  Work CountLoop(const graph::Loop& loop) {
    const std::int64_t turns = graph::Evaluate(loop.turns, parameters_);
    Work work;
    if (!loop.turn.Valid() || !WorksByTurn(loop.body)) {
      Add(CountRegion(loop.body), static_cast<double>(turns), work);
      return work;
    }
    const std::int64_t first = graph::FirstTurn(loop.turns, parameters_);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      parameters_[loop.turn.index] = first + turn;
      Add(CountRegion(loop.body), 1, work);
    }
    return work;
  }

  /// What is computed may not be the same in every turn.
  bool WorksByTurn(graph::RegionId region) const {
    const std::vector<graph::NodeId>& nodes = graph_.regions[region].nodes;
    return std::any_of(nodes.begin(), nodes.end(), [&](graph::NodeId node) {
      return Match(
          graph_.nodes[node], [](const graph::Operator& op) { return graph::WritesByTurn(op); },
          [&](const graph::Loop& loop) { return WorksByTurn(loop.body); });
    });
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
    double bytes = points * ElementBytes(TypeOf(op.result));
    for (const auto& [version, iterators] : read) {
      double elements = 1;
      for (const int iterator : iterators) elements *= extents[iterator];
      bytes += elements * ElementBytes(TypeOf(version));
    }
    return {points, points * static_cast<double>(graph::FlopsPerPoint(graph_, op)), bytes};
  }

  const graph::Array& TypeOf(graph::VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }

  const graph::Graph& graph_;
  graph::ParameterValues parameters_;  // and the turns of the loops around
};

}  // namespace

Work CountWork(const graph::Graph& graph, const graph::ParameterValues& parameters) {
  return Counter(graph, parameters).CountRegion(graph.root);
}

}  // namespace stencilgen::driver
