#include "tools/explain/totals.h"

#include <array>
#include <set>

namespace stencilgen::driver {

Totals FindTotals(const plan::PlanCost& cost) {
  Totals totals;
  for (const plan::KernelCost& kernel : cost.kernels) {
    const plan::Traffic& traffic = kernel.traffic;
    totals.moved += kernel.launches * static_cast<double>(traffic.load_bytes + traffic.store_bytes);
    totals.flops += kernel.launches * static_cast<double>(traffic.flops);
    if (kernel.launches == 0) continue;
    for (std::size_t u = 0; u < totals.seconds.size(); ++u) {
      totals.seconds[u] += kernel.launches * kernel.alone[u];
    }
  }
  for (const plan::HexagonCost& loop : cost.hexagons) {
    totals.moved += static_cast<double>(loop.launches) * (loop.load_bytes + loop.store_bytes);
    totals.flops += loop.flops;
    const std::array<double, 6> seconds = {loop.memory,   0,           0, loop.issue,
                                           loop.exchange, loop.waiting};
    for (std::size_t u = 0; u < seconds.size(); ++u) totals.seconds[u] += seconds[u];
  }
  return totals;
}

double EndToEndBytes(const graph::Graph& graph, const graph::ParameterValues& sizes) {
  std::set<graph::ArrayId> read;
  for (const graph::Expr& expr : graph.exprs) {
    const auto* access = std::get_if<graph::Access>(&expr.node);
    if (access == nullptr || access->indices.empty()) continue;
    read.insert(graph.versions[access->version].array);
  }
  double bytes = 0;
  for (const graph::ArrayId id : graph.arrays.Ids()) {
    const graph::Array& array = graph.arrays[id];
    if (array.local || array.rank() == 0) continue;
    double size = ElementBytes(array);
    for (const graph::LinearForm& extent : array.extents) {
      size *= static_cast<double>(graph::Evaluate(extent, sizes));
    }
    if (array.copy_in && read.count(id) > 0) bytes += size;
    if (array.copy_out) bytes += size;
  }
  return bytes;
}

}  // namespace stencilgen::driver
