#pragma once

#include <functional>
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

/// What a kernel works on: the memory that a buffer has now, and the host's scalar variables.
struct KernelWorld {
  std::function<graph::Values&(plan::BufferId)> memory;
  const std::vector<graph::Values>& scalars;
};
/// Computes a kernel in the interpreter's place; returns why it cannot, empty on success.
using KernelRunner = std::function<std::string(plan::KernelId, const KernelWorld&)>;

/// Executes the plan's steps on buffers as a host program would, each operator by the interpreter
/// unless `run` computes kernels. Memory that no step wrote holds poison. Arguments as for
/// graph::Interpret.
PlanResult ExecutePlan(const plan::Plan& plan, const graph::ParameterValues& parameters,
                       const std::map<std::string, graph::Values>& inputs,
                       const KernelRunner& run = nullptr);

/// Verifies the plan, executes it and compares with graph::Interpret, where that has values.
/// Returns what is wrong; empty where nothing is.
std::string CheckPlan(const plan::Plan& plan, const graph::ParameterValues& parameters,
                      const std::map<std::string, graph::Values>& inputs);

}  // namespace stencilgen::testing
