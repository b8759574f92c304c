#include <algorithm>

#include "tools/explain/metrics.h"
#include "tools/explain/report_parts.h"
#include "tools/explain/roofline.h"
#include "tools/explain/totals.h"

namespace stencilgen::driver {
namespace {

Json GpuJson(const machine::Gpu& gpu, ScalarType type) {
  const double peak = type == ScalarType::Double ? gpu.fp64_peak : gpu.fp32_peak;
  const double stencils = type == ScalarType::Double ? gpu.fp64_stencil : gpu.fp32_stencil;
  Json bandwidths = Json::array({{{"name", "memory"}, {"bytes_per_second", gpu.memory_achieved}}});
  return {{"kind", "gpu"},
          {"model", gpu.model},
          {"arch", gpu.arch},
          {"type", std::string(ToString(type))},
          {"peak", peak},
          {"stencil_peak", stencils},
          {"bandwidths", std::move(bandwidths)},
          {"memory_peak", gpu.memory_peak},
          {"multiprocessors", gpu.sms},
          {"clock", gpu.clock},
          {"registers_per_thread", gpu.registers_per_thread},
          {"shared_per_block", gpu.shared_per_block_most},
          {"second_level_bytes", gpu.l2_bytes}};
}

Json CpuJson(const machine::Cpu& cpu, ScalarType type) {
  Json bandwidths = Json::array({{{"name", "memory"}, {"bytes_per_second", cpu.triad_all}}});
  for (auto cache = cpu.caches.rbegin(); cache != cpu.caches.rend(); ++cache) {
    bandwidths.push_back({{"name", "cache level " + std::to_string(cache->level)},
                          {"bytes_per_second", cache->all}});
  }
  return {{"kind", "cpu"},
          {"model", cpu.model},
          {"type", std::string(ToString(type))},
          {"peak", cpu.PeakOfCore(static_cast<int>(SizeInBytes(type))) * cpu.cores},
          {"bandwidths", std::move(bandwidths)},
          {"cores", cpu.cores},
          {"vector_bytes", cpu.vector_bytes},
          {"clock", cpu.clock}};
}

}  // namespace

double SecondsOnCpu(const ChosenPlan& chosen) {
  // What is known of a nest is of one turn.
  const std::vector<double> turns = CountTurns(chosen.plan, chosen.sizes);
  double seconds = 0;
  for (std::size_t k = 0; k < turns.size(); ++k) {
    seconds += turns[k] * chosen.nests[k].seconds;
  }
  return seconds;
}

ScalarType WidestType(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes) {
    const auto* op = std::get_if<graph::Operator>(&node);
    if (op == nullptr) continue;
    const auto& array = graph.arrays[graph.versions[op->result].array];
    if (array.rank() > 0 && array.type == ScalarType::Double) return ScalarType::Double;
  }
  return ScalarType::Float;
}

Json DeviceReport(const Explained& explained) {
  const ScalarType type = WidestType(explained.graph);
  if (explained.options.target == Target::Cpp) return CpuJson(explained.cpu, type);
  return GpuJson(explained.gpu, type);
}

Json WorkReport(const Explained& explained, const plan::PlanCost& cost) {
  const auto& sizes = explained.chosen.sizes;
  const Work work = CountWork(explained.graph, sizes);
  Json report = {{"points", work.points},
                 {"flops", work.flops},
                 {"end_to_end_bytes", EndToEndBytes(explained.graph, sizes)},
                 {"unfused_bytes", work.bytes}};
  if (cost.kernels.empty()) return report;
  const Totals totals = FindTotals(cost);
  report["asked_bytes"] = totals.moved;
  report["flops_with_halos"] = totals.flops;
  return report;
}

Json PredictionReport(const Explained& explained, const plan::PlanCost& cost) {
  const ChosenPlan& chosen = explained.chosen;
  if (explained.options.target == Target::Cpp) {
    const double seconds = SecondsOnCpu(chosen);
    return {{"seconds", seconds > 0 ? Json(seconds) : Json()}, {"roofline", nullptr}};
  }
  if (cost.kernels.empty()) return {{"seconds", nullptr}, {"roofline", nullptr}};
  const Roofline roof = FindRoofline(explained.graph, chosen.sizes, cost, explained.gpu);
  const Totals totals = FindTotals(cost);
  Json units = Json::array();
  for (std::size_t u = 0; u < kUnits.size(); ++u) {
    units.push_back({{"name", std::string(kUnits[u])}, {"seconds", totals.seconds[u]}});
  }
  return {
      {"seconds", cost.seconds},
      {"units", std::move(units)},
      {"roofline", {{"seconds", roof.seconds()}, {"bytes", roof.bytes}, {"limit", roof.limit()}}}};
}

}  // namespace stencilgen::driver
