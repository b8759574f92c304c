#include "plan/order_clusters.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/dependences.h"
#include "support/check.h"

namespace stencilgen::plan {

using graph::NodeId;

std::vector<std::vector<NodeId>> OrderClusters(const graph::Graph& graph, graph::RegionId region,
                                               const std::vector<std::vector<NodeId>>& clusters) {
  const std::vector<NodeId>& nodes = graph.regions[region].nodes;
  // A cluster is known by its first node's place.
  std::map<NodeId, std::size_t> place;
  for (std::size_t k = 0; k < nodes.size(); ++k) place.emplace(nodes[k], k);
  std::vector<std::size_t> cluster_of(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) cluster_of[k] = k;
  for (const std::vector<NodeId>& cluster : clusters) {
    std::size_t first = nodes.size();
    for (NodeId node : cluster) first = std::min(first, place.at(node));
    for (NodeId node : cluster) cluster_of[place.at(node)] = first;
  }
  std::vector<std::vector<NodeId>> members(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) members[cluster_of[k]].push_back(nodes[k]);

  std::set<std::pair<std::size_t, std::size_t>> edges;
  for (const graph::Dependence& dependence : FindDependences(graph, region)) {
    const std::size_t from = cluster_of[place.at(dependence.from)];
    const std::size_t to = cluster_of[place.at(dependence.to)];
    if (from != to) edges.emplace(from, to);
  }
  std::vector<int> waiting(nodes.size(), 0);
  for (const auto& [from, to] : edges) ++waiting[to];
  std::set<std::size_t> ready;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (!members[k].empty() && waiting[k] == 0) ready.insert(k);
  }
  std::vector<std::vector<NodeId>> ordered;
  std::size_t count = 0;
  while (!ready.empty()) {
    const std::size_t next = *ready.begin();
    ready.erase(ready.begin());
    count += members[next].size();
    ordered.push_back(std::move(members[next]));
    for (auto edge = edges.lower_bound({next, 0}); edge != edges.end() && edge->first == next;
         ++edge) {
      if (--waiting[edge->second] == 0) ready.insert(edge->second);
    }
  }
  STENCILGEN_CHECK(count == nodes.size());
  return ordered;
}

}  // namespace stencilgen::plan
