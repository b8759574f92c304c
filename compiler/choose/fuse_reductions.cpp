#include "choose/fuse_reductions.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "graph/regions.h"
#include "plan/fuse_loops.h"
#include "plan/operator_facts.h"

namespace stencilgen::choose {
namespace {

/// Elements that a point reads, all from the first cache: more would take longer than memory does.
/// By a model, not measured.
constexpr std::size_t kMostLoads = 12;
/// What one kernel must gain over several: less is within what the model does not know.
constexpr double kLeastGainOfFusion = 1.05;

/// Bytes a point that come from memory or go there: of each version once.
double PriceOf(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops) {
  std::set<graph::VersionId> made, moved;
  std::size_t loads = 0;
  bool reduces = false;
  for (const graph::Operator* op : ops) {
    for (const graph::ExprId id : graph::Accesses(graph, *op)) {
      const auto& access = std::get<graph::Access>(graph.exprs[id].node);
      if (access.indices.empty() || made.count(access.version) > 0) continue;
      moved.insert(access.version);
      ++loads;
    }
    reduces = reduces || op->reduction;
    made.insert(op->result);
    if (!op->reduction) moved.insert(op->result);
  }
  if (ops.size() > 1 && (!reduces || loads > kMostLoads)) {
    return std::numeric_limits<double>::infinity();
  }
  double bytes = 0;
  for (const graph::VersionId version : moved) {
    bytes += static_cast<double>(ElementBytes(graph.arrays[graph.versions[version].array]));
  }
  return ops.size() > 1 ? kLeastGainOfFusion * bytes : bytes;
}

}  // namespace

plan::Plan FuseReductions(plan::Plan plan) {
  const bool any = std::any_of(plan.kernels.begin(), plan.kernels.end(), [&](const auto& kernel) {
    return plan::FindReduction(plan.graph, kernel.ops) != nullptr;
  });
  return any ? plan::FuseLoops(std::move(plan), PriceOf) : std::move(plan);
}

}  // namespace stencilgen::choose
