#include "graph/paths.h"

#include <algorithm>
#include <map>

#include "support/check.h"

namespace stencilgen::graph {

Paths::Paths(std::size_t nodes, const std::vector<std::pair<std::size_t, std::size_t>>& edges)
    : after_(nodes, Row((nodes + 63) / 64, 0)), before_(after_), alive_(nodes, true) {
  std::vector<std::vector<std::size_t>> next(nodes);
  std::vector<std::size_t> waiting(nodes, 0);
  for (const auto& [from, to] : edges) {
    next[from].push_back(to);
    ++waiting[to];
  }
  // A node is ready once all before it are; its row is then complete.
  std::vector<std::size_t> ready;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (waiting[node] == 0) ready.push_back(node);
  }
  std::size_t visited = 0;
  for (; visited < ready.size(); ++visited) {
    const std::size_t node = ready[visited];
    for (const std::size_t to : next[node]) {
      for (std::size_t word = 0; word < before_[to].size(); ++word) {
        before_[to][word] |= before_[node][word];
      }
      Set(before_[to], node);
      if (--waiting[to] == 0) ready.push_back(to);
    }
  }
  STENCILGEN_CHECK(visited == nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    for (std::size_t other = 0; other < nodes; ++other) {
      if (Has(before_, node, other)) Set(after_[other], node);
    }
  }
}

bool Paths::ThroughThird(std::size_t from, std::size_t to) const {
  // A third node would be after the one and before the other; neither of the two is.
  for (std::size_t word = 0; word < after_[from].size(); ++word) {
    if ((after_[from][word] & before_[to][word]) != 0) return true;
  }
  return false;
}

bool Paths::SeparatedByOthers(std::size_t a, std::size_t b) const {
  return ThroughThird(a, b) || ThroughThird(b, a);
}

void Paths::Merge(std::size_t a, std::size_t b) {
  STENCILGEN_CHECK(a != b && alive_[a] && alive_[b] && !SeparatedByOthers(a, b));
  const std::size_t kept = std::min(a, b);
  const std::size_t gone = std::max(a, b);
  alive_[gone] = false;
  for (std::vector<Row>* rows : {&after_, &before_}) {
    for (std::size_t word = 0; word < (*rows)[kept].size(); ++word) {
      (*rows)[kept][word] |= (*rows)[gone][word];
    }
    Clear((*rows)[kept], kept);
    Clear((*rows)[kept], gone);
  }
  // What reaches one of them now reaches all that either reaches, and the other way round.
  for (std::size_t node = 0; node < alive_.size(); ++node) {
    if (!alive_[node] || node == kept) continue;
    const auto join = [&](std::vector<Row>& rows) {
      if (!Has(rows, node, kept) && !Has(rows, node, gone)) return;
      for (std::size_t word = 0; word < rows[node].size(); ++word) {
        rows[node][word] |= rows[kept][word];
      }
      Set(rows[node], kept);
      Clear(rows[node], gone);
    };
    join(after_);
    join(before_);
  }
}

Paths FindPaths(const Graph& graph, RegionId region, const std::vector<Dependence>& dependences) {
  std::map<NodeId, std::size_t> place;
  for (NodeId node : graph.regions[region].nodes) {
    const std::size_t next = place.size();
    place.emplace(node, next);
  }
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  edges.reserve(dependences.size());
  for (const Dependence& dependence : dependences) {
    edges.emplace_back(place.at(dependence.from), place.at(dependence.to));
  }
  return {place.size(), edges};
}

}  // namespace stencilgen::graph
