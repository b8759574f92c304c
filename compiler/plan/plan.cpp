#include "plan/plan.h"

#include <utility>

namespace stencilgen::plan {

Plan::Plan() = default;
Plan::Plan(const Plan&) = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(const Plan&) = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

Kernel::Kernel(std::string its_name, std::vector<graph::NodeId> its_ops, Schedule its_schedule)
    : name(std::move(its_name)), ops(std::move(its_ops)), schedule(std::move(its_schedule)) {}
Kernel::Kernel() = default;
Kernel::Kernel(const Kernel&) = default;
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(const Kernel&) = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;
Kernel::~Kernel() = default;

TimeBand::TimeBand() = default;
TimeBand::TimeBand(const TimeBand&) = default;
TimeBand::TimeBand(TimeBand&&) noexcept = default;
TimeBand& TimeBand::operator=(const TimeBand&) = default;
TimeBand& TimeBand::operator=(TimeBand&&) noexcept = default;
TimeBand::~TimeBand() = default;

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
