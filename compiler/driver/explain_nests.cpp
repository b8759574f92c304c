#include "driver/explain_nests.h"

#include <fmt/format.h>

#include "driver/explain.h"
#include "driver/explain_arrays.h"
#include "graph/nodes.h"
#include "graph/reduction.h"
#include "plan/matrix_tiles.h"
#include "plan/operator_facts.h"
#include "plan/time_band.h"
#include "support/count_text.h"

namespace stencilgen::driver {
namespace {

/// `12 of 16 cycles`: what the choice went by.
std::string CyclesText(const choose::NestReport& report) {
  std::string text = fmt::format("{:.3g} cycles for two vectors of points, {:.3g} of them memory's",
                                 report.cycles, report.memory);
  if (report.plain > 0) text += fmt::format("; a plain nest {:.3g}", report.plain);
  return text;
}

/// Which loops run in tiles of several turns, and why others do not.
void ExplainLoops(const plan::Plan& plan, const std::vector<plan::Step>& steps, std::string& text) {
  for (const plan::Step& step : steps) {
    const auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat == nullptr || repeat->body.empty() || plan::RunsInKernel(plan, *repeat)) continue;
    const std::string turns =
        graph::ToString(repeat->turns.count, graph::ParameterNames(plan.graph));
    if (repeat->band) {
      const bool looks = graph::LoopOf(plan.graph, repeat->loop).stop.has_value();
      text += fmt::format(
          "  the loop over {} turns runs in tiles of {}{} where its arrays are larger "
          "than caches\n",
          turns,
          repeat->band->turns > 0 ? fmt::format("{} turns", repeat->band->turns) : "several turns",
          looks ? ", between looks at its condition," : "");
      if (repeat->band->single) {
        text += fmt::format("    a single turn runs in place: new planes wait in {}\n",
                            plan.buffers[repeat->band->single->held.buffer].name);
      }
    } else {
      const auto found = plan::FindTimeBand(plan, *repeat);
      if (const auto* reason = std::get_if<std::string>(&found)) {
        text += fmt::format("  the loop over {} turns runs turn by turn: {}\n", turns, *reason);
      }
    }
    ExplainLoops(plan, repeat->body, text);
  }
}

}  // namespace

std::string NestText(const plan::Plan& plan, const plan::Kernel& kernel) {
  const graph::Operator* reduction = plan::FindReduction(plan.graph, kernel.ops);
  if (reduction == nullptr) {
    const auto& op = graph::OperatorOf(plan.graph, kernel.ops.front());
    return plan::ToString(*kernel.nest, plan::IteratorNames(plan.graph, op));
  }
  if (graph::IsWhole(*reduction->reduction)) return "one point after the other into one value";
  return "rows of points in vectors, added to rows of lanes";
}

const machine::Cpu& ExplainedCpu(const Options& options) {
  return options.cpu ? *options.cpu : machine::DefaultCpu();
}

std::string ExplainNests(const ChosenPlan& chosen, const machine::Cpu& cpu) {
  const plan::Plan& plan = chosen.plan;
  std::string text =
      fmt::format("{}: {} for {}{}\n", plan.graph.name, CountText(plan.kernels.size(), "loop nest"),
                  cpu.model, WithSizes(chosen));
  for (plan::KernelId id : plan.kernels.Ids()) {
    const plan::Kernel& kernel = plan.kernels[id];
    if (kernel.matrix) {
      text += ExplainMatrix(plan, kernel);
      continue;
    }
    const choose::NestReport& report = chosen.nests[id.index];
    text += fmt::format("  {} computes {}: {}\n", kernel.name, OperatorsText(plan, kernel),
                        NestText(plan, kernel));
    text += fmt::format("    {}: {}\n", report.reason, CyclesText(report));
    if (kernel.held) {
      text += fmt::format(
          "    in place: new planes wait in a few planes of {} until the old ones are read\n",
          plan.buffers[kernel.held->buffer].name);
    }
    if (report.points > 0) {
      text += fmt::format(
          "    {:.3g} bytes a point out of memory and back; {} a launch, limited by {}\n",
          report.bytes, TimeText(report.seconds),
          report.by_memory ? "what is moved" : "arithmetic and loads");
    }
  }
  text += ExplainArrays(chosen);
  ExplainLoops(plan, plan.steps, text);
  return text;
}

}  // namespace stencilgen::driver
