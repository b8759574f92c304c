#include "passes/trees/clusters.h"

#include <algorithm>
#include <numeric>

namespace stencilgen::passes {

std::vector<std::vector<int>> MaximalClusters(const std::vector<LabelSet>& uses,
                                              const LabelSet& passthrough) {
  // Each child joins all clusters so far with which it shares a label.
  struct Cluster {
    LabelSet labels;
    std::vector<int> children;
  };
  std::vector<Cluster> clusters;
  for (std::size_t child = 0; child < uses.size(); ++child) {
    Cluster joined{uses[child] - passthrough, {}};
    std::vector<Cluster> others;
    for (Cluster& cluster : clusters) {
      if (cluster.labels.Intersects(joined.labels)) {
        joined.labels |= cluster.labels;
        joined.children.insert(joined.children.end(), cluster.children.begin(),
                               cluster.children.end());
      } else {
        others.push_back(std::move(cluster));
      }
    }
    joined.children.push_back(static_cast<int>(child));
    others.push_back(std::move(joined));
    clusters = std::move(others);
  }
  std::vector<std::vector<int>> result;
  result.reserve(clusters.size());
  for (Cluster& cluster : clusters) {
    std::sort(cluster.children.begin(), cluster.children.end());
    result.push_back(std::move(cluster.children));
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<int> OrderClusters(const std::vector<ClusterCost>& costs) {
  std::vector<int> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const ClusterCost& x = costs[static_cast<std::size_t>(a)];
    const ClusterCost& y = costs[static_cast<std::size_t>(b)];
    const bool x_releases = x.in > x.out, y_releases = y.in > y.out;
    if (x_releases != y_releases) return x_releases;
    if (x_releases) return x.peak < y.peak;
    return x.peak - x.out > y.peak - y.out;
  });
  return order;
}

}  // namespace stencilgen::passes
