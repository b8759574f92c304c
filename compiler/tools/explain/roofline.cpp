#include "tools/explain/roofline.h"

#include "tools/explain/metrics.h"

namespace stencilgen::driver {
namespace {

/// Flops per second of the widest type that an operator computes.
double Peak(const graph::Graph& graph, const machine::Gpu& device) {
  for (const graph::Node& node : graph.nodes) {
    const auto* op = std::get_if<graph::Operator>(&node);
    if (op == nullptr) continue;
    const auto& array = graph.arrays[graph.versions[op->result].array];
    if (array.rank() > 0 && array.type == ScalarType::Double) return device.fp64_peak;
  }
  return device.fp32_peak;
}

}  // namespace

Roofline FindRoofline(const graph::Graph& graph, const graph::ParameterValues& sizes,
                      const plan::PlanCost& cost, const machine::Gpu& device) {
  Roofline roofline;
  roofline.device = device.model;
  for (const plan::KernelCost& kernel : cost.kernels) {
    roofline.bytes += kernel.launches * kernel.traffic.compulsory_bytes;
  }
  for (const plan::HexagonCost& loop : cost.hexagons) {
    roofline.bytes += static_cast<double>(loop.launches) * (loop.load_bytes + loop.store_bytes);
  }
  roofline.flops = CountWork(graph, sizes).flops;
  roofline.memory = roofline.bytes / device.memory_achieved;
  roofline.peak = Peak(graph, device);
  roofline.arithmetic = roofline.flops / roofline.peak;
  return roofline;
}

}  // namespace stencilgen::driver
