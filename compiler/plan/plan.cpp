#include "plan/plan.h"

namespace stencilgen::plan {

std::vector<graph::VersionId> StoredVersions(const Plan& plan, const Kernel& kernel) {
  std::vector<graph::VersionId> versions;
  if (!kernel.tile) {
    for (graph::NodeId node : kernel.ops) {
      const graph::VersionId result = std::get<graph::Operator>(plan.graph.nodes[node]).result;
      if (kernel.ops.size() == 1 || plan.buffer_of[result.index].Valid()) {
        versions.push_back(result);
      }
    }
    return versions;
  }
  for (const TileStore& store : kernel.tile->stores) versions.push_back(store.version);
  return versions;
}

std::vector<std::string> IteratorNames(const graph::Graph& graph, const graph::Operator& op) {
  std::vector<std::string> names;
  for (int iterator : op.iterators) {
    names.push_back(graph.iterators[static_cast<std::size_t>(iterator)]);
  }
  return names;
}

}  // namespace stencilgen::plan
