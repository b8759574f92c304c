#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/interpret.h"
#include "plan/plan.h"

namespace stencilgen::testing {

struct PlanResult {
  std::string error;                   ///< empty on success
  std::vector<graph::Values> outputs;  ///< one an output of the graph
};

/// Executes the plan's steps on buffers as a host program would, each operator by the interpreter.
/// Memory that no step wrote holds poison. Arguments as for graph::Interpret.
PlanResult ExecutePlan(const plan::Plan& plan, const graph::ParameterValues& parameters,
                       const std::map<std::string, graph::Values>& inputs);

/// Verifies the plan, executes it and compares with graph::Interpret, where that has values.
/// Returns what is wrong; empty where nothing is.
std::string CheckPlan(const plan::Plan& plan, const graph::ParameterValues& parameters,
                      const std::map<std::string, graph::Values>& inputs);

}  // namespace stencilgen::testing
