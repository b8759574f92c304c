#pragma once

#include <string>
#include <vector>

#include "graph/print_expr.h"

namespace stencilgen::testing {

/// `name = value` of each operator of the region, arrays by their names, in its order.
inline std::vector<std::string> StatementTexts(const graph::Graph& graph, graph::RegionId region) {
  const std::vector<std::string> parameters = graph::ParameterNames(graph);
  std::vector<std::string> names, statements;
  for (const graph::Version& version : graph.versions) {
    names.push_back(graph.arrays[version.array].name);
  }
  for (const graph::NodeId node : graph.regions[region].nodes) {
    const auto* op = std::get_if<graph::Operator>(&graph.nodes[node]);
    if (op == nullptr) continue;
    const graph::ExprPrinter printer(graph, *op, parameters, names);
    statements.push_back(names[op->result.index] + " = " + printer.Print(op->value));
  }
  return statements;
}

}  // namespace stencilgen::testing
