#include "tools/explain/report.h"

#include <algorithm>

#include "driver/explain_arrays.h"
#include "plan/cost.h"
#include "tools/explain/report_parts.h"

namespace stencilgen::driver {
namespace {

Json SizesReport(const ChosenPlan& chosen) {
  Json sizes = Json::array();
  for (const graph::ParameterId id : graph::SizesOf(chosen.plan.graph)) {
    const std::string& name = chosen.plan.graph.parameters[id].name;
    const bool assumed =
        std::find(chosen.assumed.begin(), chosen.assumed.end(), name) != chosen.assumed.end();
    sizes.push_back({{"name", name}, {"value", chosen.sizes[id.index]}, {"assumed", assumed}});
  }
  return sizes;
}

Json ComponentsReport(const graph::Graph& graph) {
  Json arrays = Json::object();
  for (const SplitArray& array : SplitArrays(graph)) arrays[array.name] = array.components;
  return arrays;
}

}  // namespace

Json MakeReport(const Explained& explained) {
  const ChosenPlan& chosen = explained.chosen;
  const bool cuda = explained.options.target == Target::Cuda;
  plan::PlanCost cost;
  if (cuda) {
    cost = plan::EstimateCost(chosen.plan, explained.gpu, chosen.sizes, chosen.register_limit);
  }
  Json report = {{"format", 1},
                 {"name", chosen.plan.graph.name},
                 {"file", explained.source.name()},
                 {"command", explained.command},
                 {"target", cuda ? "cuda" : "cpp"},
                 {"sizes", SizesReport(chosen)},
                 {"iterators", chosen.plan.graph.iterators},
                 {"notes", explained.notes},
                 {"components", ComponentsReport(chosen.plan.graph)},
                 {"shared_values", SharedValueTexts(chosen)}};
  report["device"] = DeviceReport(explained);
  report["prediction"] = PredictionReport(explained, cost);
  report["work"] = WorkReport(explained, cost);
  report["kernels"] = KernelsReport(explained, cost);
  report["steps"] = StepsReport(explained);
  report["alternatives"] = AlternativesReport(explained, cost);
  report["graph"] = GraphReport(explained);
  report["source"] = explained.source.text();
  return report;
}

std::string ReportText(const nlohmann::ordered_json& report) {
  return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stencilgen::driver
