#include "plan/plan.h"

namespace stencilgen::plan {

std::vector<graph::VersionId> StoredVersions(const Plan& plan, const Kernel& kernel) {
  if (!kernel.tile) return {std::get<graph::Operator>(plan.graph.nodes[kernel.ops.front()]).result};
  std::vector<graph::VersionId> versions;
  for (const TileStore& store : kernel.tile->stores) versions.push_back(store.version);
  return versions;
}

}  // namespace stencilgen::plan
