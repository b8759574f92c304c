#include "driver/explain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/explain_arrays.h"
#include "driver/explain_graphs.h"
#include "driver/explain_hexagons.h"
#include "driver/split_plans.h"
#include "graph/turns.h"
#include "plan/barriers.h"
#include "plan/cost.h"
#include "plan/hexagon.h"
#include "plan/matrix_tiles.h"
#include "support/count_text.h"

namespace stencilgen::driver {

namespace {

int Product(const std::array<int, 3>& sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

/// The stencils a kernel takes its operators from.
std::vector<std::string> StencilsOf(const plan::Plan& plan, const plan::Kernel& kernel) {
  std::vector<std::string> stencils;
  for (graph::NodeId node : kernel.ops) {
    const std::string& name = std::get<graph::Operator>(plan.graph.nodes[node]).stencil;
    if (std::find(stencils.begin(), stencils.end(), name) == stencils.end()) {
      stencils.push_back(name);
    }
  }
  return stencils;
}

std::string StreamText(const plan::Plan& plan, const plan::Schedule& schedule) {
  if (!schedule.stream) return "no stream";
  const std::string& name =
      plan.graph.iterators[static_cast<std::size_t>(schedule.stream->iterator)];
  if (schedule.stream->shortest > 0) {
    const std::string these = schedule.stream->chunk > 0
                                  ? fmt::format(", of {} at these sizes", schedule.stream->chunk)
                                  : "";
    return fmt::format("streams along {} in chunks that make whole waves{}", name, these);
  }
  if (schedule.stream->chunk == 0) return fmt::format("streams along {}", name);
  return fmt::format("streams along {} in chunks of {}", name, schedule.stream->chunk);
}

std::string_view LimitText(plan::OccupancyLimit limit) {
  switch (limit) {
    case plan::OccupancyLimit::Blocks:
      return "blocks an SM";
    case plan::OccupancyLimit::Warps:
      return "warps";
    case plan::OccupancyLimit::Registers:
      return "registers";
    case plan::OccupancyLimit::SharedMemory:
      return "shared memory";
  }
  return "";
}

/// What a block stores of what it computes, and what it keeps where.
std::string TileText(const plan::Plan& plan, const plan::Tile& tile) {
  const auto& first = std::get<graph::Operator>(plan.graph.nodes[tile.ops.front().node]);
  std::vector<std::string> sizes;
  for (std::size_t d = 0; d < tile.dimensions; ++d) {
    if (tile.stream == d) continue;
    sizes.push_back(
        fmt::format("{} of {} points along {}", tile.Stored(d), tile.threads[d] * tile.points[d],
                    plan.graph.iterators[static_cast<std::size_t>(first.iterators[d])]));
  }
  std::size_t in_registers = 0;
  int in_shared = 0;
  for (const plan::TileVersion& version : tile.versions) {
    for (const plan::PlaneStorage& plane : version.planes) in_registers += plane.registers ? 1 : 0;
  }
  for (const plan::SharedRegion& region : tile.regions) in_shared += region.slots;
  return fmt::format("a block stores {}; {} in registers, {} in shared memory ({}), {}{}{}",
                     fmt::join(sizes, ", "), CountText(in_registers, "plane"), in_shared,
                     CountText(tile.shared_bytes, "byte"),
                     CountText(plan::CountBarriers(tile), "barrier"), tile.stream ? " a step" : "",
                     tile.shuffle ? ", shuffles along x" : "") +
         (tile.pipeline ? fmt::format(", {} warps hand rows on", tile.Stages()) : "");
}

std::string TrafficText(const plan::Traffic& traffic) {
  const auto points = static_cast<double>(std::max<std::int64_t>(traffic.points, 1));
  const auto moved = static_cast<double>(traffic.load_bytes + traffic.store_bytes);
  return fmt::format("{:.3g} bytes loaded and stored a point, at least {:.3g} must be",
                     moved / points, traffic.compulsory_bytes / points);
}

std::string OccupancyText(const machine::Gpu& device, const plan::KernelCost& cost) {
  return fmt::format("{} an SM, {} of {} warps (limit: {}) with about {}",
                     CountText(cost.occupancy.blocks, "block"), cost.occupancy.warps,
                     device.warps_per_sm(), LimitText(cost.occupancy.limit),
                     CountText(cost.registers, "register"));
}

std::string CostText(const plan::KernelCost& cost) {
  return fmt::format("{} a launch, launched {}, limited by {}", TimeText(cost.seconds),
                     cost.launches == 1 ? "once" : fmt::format("{} times", cost.launches),
                     plan::ToString(cost.limit));
}

}  // namespace

std::string OperatorsText(const plan::Plan& plan, const plan::Kernel& kernel) {
  const std::vector<std::string> stencils = StencilsOf(plan, kernel);
  std::string names = fmt::format("{}", fmt::join(stencils, ", "));
  if (kernel.ops.size() == stencils.size()) return names;
  return fmt::format("{} ({})", names, CountText(kernel.ops.size(), "statement"));
}

std::string ExplainMatrix(const plan::Plan& plan, const plan::Kernel& kernel) {
  const auto& op = std::get<graph::Operator>(plan.graph.nodes[kernel.ops.front()]);
  std::string text = fmt::format("  {} computes {}: {}\n", kernel.name, OperatorsText(plan, kernel),
                                 plan::ToString(plan.graph, op, *kernel.matrix));
  if (kernel.matrix->loops.empty()) return text;
  return text +
         "    so that a program that is mostly stencils stays together; a library of linear "
         "algebra is faster\n";
}

std::string SizesText(const ChosenPlan& chosen) {
  std::vector<std::string> sizes;
  const std::vector<std::string> names = graph::ParameterNames(chosen.plan.graph);
  for (std::size_t p = 0; p < names.size(); ++p) {
    if (chosen.plan.graph.parameters[graph::ParameterId{static_cast<std::uint32_t>(p)}].turn) {
      continue;
    }
    sizes.push_back(fmt::format("{}={}", names[p], chosen.sizes[p]));
  }
  std::string text = fmt::format("{}", fmt::join(sizes, ", "));
  if (!chosen.assumed.empty()) {
    text += fmt::format(" ({} assumed)", fmt::join(chosen.assumed, ", "));
  }
  return text;
}

std::string WithSizes(const ChosenPlan& chosen) {
  const std::string sizes = SizesText(chosen);
  return sizes.empty() ? "" : " with " + sizes;
}

std::string TimeText(double seconds) {
  if (!std::isfinite(seconds)) return "no time: it does not fit";
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  return seconds < 1e-3 ? fmt::format("{:.3g} us", seconds * 1e6)
                        : fmt::format("{:.3g} ms", seconds * 1e3);
}

const machine::Gpu* ExplainedDevice(const Options& options) {
  if (options.device) return &*options.device;
  return machine::FindGpu(ArchOf(options));
}

std::string Explain(const ChosenPlan& chosen, const machine::Gpu* device) {
  const plan::Plan& plan = chosen.plan;
  plan::PlanCost cost;
  if (device != nullptr)
    cost = plan::EstimateCost(plan, *device, chosen.sizes, chosen.register_limit);
  if (cost.kernels.empty()) device = nullptr;  // nothing to launch, or too much for any memory
  std::string text =
      fmt::format("{}: {}", plan.graph.name, CountText(plan.kernels.size(), "kernel"));
  if (device != nullptr) {
    text += fmt::format(", {} predicted on {}{}", TimeText(cost.seconds), device->model,
                        WithSizes(chosen));
  }
  text += "\n";
  text += ExplainSplit(chosen);
  if (device != nullptr && graph::MayEndEarly(plan.graph)) {
    text += "  predicted with all turns of loops that a condition may end before\n";
  }
  text += ExplainHexagons(plan, cost);
  const std::set<plan::KernelId> in_hexagons = plan::KernelsInHexagons(plan);
  for (plan::KernelId id : plan.kernels.Ids()) {
    const plan::Kernel& kernel = plan.kernels[id];
    if (in_hexagons.count(id) > 0) continue;
    if (device != nullptr && cost.kernels[id.index].launches == 0) {
      text += fmt::format("  {} computes {}: not launched with these sizes\n", kernel.name,
                          OperatorsText(plan, kernel));
      continue;
    }
    if (kernel.matrix) {
      text += ExplainMatrix(plan, kernel);
    } else {
      text += fmt::format("  {} computes {}: block {}, {} a thread, {}\n", kernel.name,
                          OperatorsText(plan, kernel), fmt::join(kernel.schedule.block, "x"),
                          CountText(Product(kernel.schedule.unroll), "point"),
                          StreamText(plan, kernel.schedule));
    }
    if (kernel.tile) text += fmt::format("    {}\n", TileText(plan, *kernel.tile));
    if (device == nullptr) continue;
    const plan::KernelCost& each = cost.kernels[id.index];
    text += fmt::format("    {}; {}\n    {}\n", TrafficText(each.traffic),
                        OccupancyText(*device, each), CostText(each));
  }
  text += ExplainArrays(chosen);
  text += ExplainGraphs(chosen, device);
  if (chosen.tried > 1) {
    text += fmt::format("  the best of {} schedules", chosen.tried);
    for (std::size_t k = 0; k < chosen.others.size(); ++k) {
      text += fmt::format("{} {} ({})", k == 0 ? ";" : ",", ToString(chosen.others[k], plan.graph),
                          TimeText(chosen.others[k].seconds));
    }
    text += "\n";
  }
  return text;
}

}  // namespace stencilgen::driver
