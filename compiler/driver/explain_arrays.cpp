#include "driver/explain_arrays.h"

#include <fmt/format.h>

#include "driver/explain.h"
#include "graph/print_expr.h"
#include "support/count_text.h"

namespace stencilgen::driver {

std::vector<std::string> SharedValueTexts(const ChosenPlan& chosen) {
  const graph::Graph& graph = chosen.plan.graph;
  const std::vector<std::string> parameters = graph::ParameterNames(graph);
  std::vector<std::string> names;  // by version
  for (const graph::Version& version : graph.versions) {
    names.push_back(graph.arrays[version.array].name);
  }
  std::vector<std::string> texts;
  for (const std::string& array : chosen.shared) {
    for (const graph::Node& node : graph.nodes) {
      const auto* op = std::get_if<graph::Operator>(&node);
      if (op == nullptr || names[op->result.index] != array) continue;
      const graph::ExprPrinter printer(graph, *op, parameters, names);
      texts.push_back(fmt::format("{} = {}", array, printer.Print(op->value)));
      break;
    }
  }
  return texts;
}

std::vector<SplitArray> SplitArrays(const graph::Graph& graph) {
  std::vector<SplitArray> arrays;
  for (const graph::Array& array : graph.arrays) {
    if (!array.component) continue;
    if (array.component->number == 0) arrays.push_back({array.component->whole, {}});
    arrays.back().components.push_back(array.name);
  }
  return arrays;
}

std::string ExplainArrays(const ChosenPlan& chosen) {
  std::string text;
  for (const SplitArray& array : SplitArrays(chosen.plan.graph)) {
    text += fmt::format("  the {} components of {} are arrays of their own: {} to {}\n",
                        array.components.size(), array.name, array.components.front(),
                        array.components.back());
  }
  if (chosen.shared.empty()) return text;
  text += fmt::format(
      "  {} that several points need {} computed once, in arrays{}:\n",
      CountText(chosen.shared.size(), "value"), chosen.shared.size() == 1 ? "is" : "are",
      chosen.unshared > 0 ? fmt::format(" (without them {})", TimeText(chosen.unshared)) : "");
  for (const std::string& each : SharedValueTexts(chosen)) text += fmt::format("    {}\n", each);
  return text;
}

}  // namespace stencilgen::driver
