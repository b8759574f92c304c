#include "driver/explain_nests.h"

#include <fmt/format.h>

#include "driver/explain.h"

namespace stencilgen::driver {
namespace {

/// `12 of 16 cycles`: what the choice went by.
std::string CyclesText(const choose::NestReport& report) {
  std::string text = fmt::format("{:.3g} cycles for two vectors of points, {:.3g} of them memory's",
                                 report.cycles, report.memory);
  if (report.plain > 0) text += fmt::format("; a plain nest {:.3g}", report.plain);
  return text;
}

}  // namespace

const machine::Cpu& ExplainedCpu(const Options& options) {
  return options.cpu ? *options.cpu : machine::DefaultCpu();
}

std::string ExplainNests(const ChosenPlan& chosen, const machine::Cpu& cpu) {
  const plan::Plan& plan = chosen.plan;
  std::string text =
      fmt::format("{}: {} loop nest{} for {} with {}\n", plan.graph.name, plan.kernels.size(),
                  plan.kernels.size() == 1 ? "" : "s", cpu.model, SizesText(chosen));
  for (plan::KernelId id : plan.kernels.Ids()) {
    const plan::Kernel& kernel = plan.kernels[id];
    const auto& op = std::get<graph::Operator>(plan.graph.nodes[kernel.ops.front()]);
    const choose::NestReport& report = chosen.nests[id.index];
    text += fmt::format("  {} computes {}: {}\n", kernel.name, OperatorsText(plan, kernel),
                        plan::ToString(*kernel.nest, plan::IteratorNames(plan.graph, op)));
    text += fmt::format("    {}: {}\n", report.reason, CyclesText(report));
    if (report.points > 0) {
      text += fmt::format(
          "    {:.3g} bytes a point out of memory and back; {} a launch, limited by {}\n",
          report.bytes, TimeText(report.seconds),
          report.by_memory ? "what is moved" : "arithmetic and loads");
    }
  }
  return text;
}

}  // namespace stencilgen::driver
