#include "driver/explain.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plan/occupancy.h"

namespace stencilgen::driver {

namespace {

/// `1 thread`, `2 threads`
template <typename Integer>
std::string Count(Integer number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

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

/// What a block of the kernel asks for, as far as the plan knows it.
plan::BlockNeeds NeedsOf(const plan::Kernel& kernel) {
  plan::BlockNeeds needs;
  needs.threads = kernel.tile ? kernel.tile->Threads() : Product(kernel.schedule.block);
  if (kernel.tile) needs.shared_bytes = kernel.tile->shared_bytes;
  return needs;
}

std::string StreamText(const plan::Plan& plan, const plan::Schedule& schedule) {
  if (!schedule.stream) return "no stream";
  const std::string& name =
      plan.graph.iterators[static_cast<std::size_t>(schedule.stream->iterator)];
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

std::string OccupancyText(const plan::Device& device, const plan::BlockNeeds& needs) {
  const plan::Occupancy occupancy = plan::FindOccupancy(device, needs);
  return fmt::format("{}, {} of shared memory: {} an SM, {} of {} warps (limit: {}) on {}{}",
                     Count(needs.threads, "thread"), Count(needs.shared_bytes, "byte"),
                     Count(occupancy.blocks, "block"), occupancy.warps, device.warps_per_sm(),
                     LimitText(occupancy.limit), device.model,
                     needs.registers == 0 ? ", registers not counted" : "");
}

}  // namespace

const plan::Device* ExplainedDevice(const Options& options) {
  return options.arch ? plan::FindDevice(*options.arch) : &plan::DefaultDevice();
}

std::string Explain(const plan::Plan& plan, const plan::Device* device) {
  std::string text = fmt::format("{}: {}\n", plan.graph.name, Count(plan.kernels.size(), "kernel"));
  for (const plan::Kernel& kernel : plan.kernels) {
    text += fmt::format(
        "  {} computes {}: block {}, {} a thread, {}\n", kernel.name,
        fmt::join(StencilsOf(plan, kernel), ", "), fmt::join(kernel.schedule.block, "x"),
        Count(Product(kernel.schedule.unroll), "point"), StreamText(plan, kernel.schedule));
    if (device != nullptr) text += fmt::format("    {}\n", OccupancyText(*device, NeedsOf(kernel)));
  }
  return text;
}

}  // namespace stencilgen::driver
