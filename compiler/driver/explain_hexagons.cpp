#include "driver/explain_hexagons.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/explain.h"
#include "graph/nodes.h"
#include "plan/hexagon.h"
#include "plan/time_band.h"

namespace stencilgen::driver {
namespace {

std::string ShapeText(const plan::Plan& plan, const plan::TimeBand& band) {
  const plan::Hexagon& hexagon = *band.hexagon;
  const auto& op = graph::OperatorOf(plan.graph, plan.kernels[LeadOf(plan, band)].ops.front());
  const auto name = [&](std::size_t n) {
    return plan.graph.iterators[static_cast<std::size_t>(op.iterators[n])];
  };
  std::string text = fmt::format("{} time steps, {} to {} points along {}", 2 * hexagon.half,
                                 hexagon.width, plan::WidestOf(band), name(0));
  for (std::size_t n = 0; n < hexagon.strips.size(); ++n) {
    text += fmt::format(", strips of {} along {}", hexagon.strips[n].width, name(n + 1));
  }
  return text;
}

std::string CostText(const plan::HexagonCost& cost) {
  if (cost.resident == 0) return "does not fit on the device";
  const auto points = static_cast<double>(std::max<std::int64_t>(cost.points, 1));
  return fmt::format(
      "{} launches of {} tiles, {} a multiprocessor; {:.3g} bytes loaded and {:.3g} stored a "
      "point, "
      "nothing computed twice\n    {} (a model that no measurement has checked)",
      cost.launches, cost.tiles, cost.resident, cost.load_bytes / points, cost.store_bytes / points,
      TimeText(cost.seconds));
}

}  // namespace

std::string ExplainHexagons(const plan::Plan& plan, const plan::PlanCost& cost) {
  std::string text;
  std::size_t number = 0;
  for (const plan::Repeat* repeat : plan::LoopsWithBands(plan)) {
    if (!repeat->band->hexagon) continue;
    std::vector<std::string> names;
    for (const plan::KernelId id : repeat->band->launches) {
      names.push_back(OperatorsText(plan, plan.kernels[id]));
    }
    text += fmt::format("  a loop over {} turns computes {} in hexagons: {}\n",
                        graph::ToString(repeat->turns, graph::ParameterNames(plan.graph)),
                        fmt::join(names, ", "), ShapeText(plan, *repeat->band));
    if (number < cost.hexagons.size()) {
      text += fmt::format("    {}\n", CostText(cost.hexagons[number]));
    }
    ++number;
  }
  return text;
}

}  // namespace stencilgen::driver
