#pragma once

#include <cstdint>
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
  const graph::ParameterValues& parameters;  ///< and the turns of the loops around
  std::int64_t stages = 0;                   ///< of a pipeline in time: those that have turns
};
/// Computes a kernel in the interpreter's place; returns why it cannot, empty on success.
using KernelRunner = std::function<std::string(plan::KernelId, const KernelWorld&)>;

/// Computes so many turns of a loop with a band, without the rotation after them; a turn that the
/// band has in place (plan::TimeBand::single), with its result where it belongs.
using BandRunner =
    std::function<std::string(const plan::Repeat&, std::int64_t turns, const KernelWorld&)>;

/// Executes the plan's steps on buffers as a host program would, each operator by the interpreter
/// unless `run` computes kernels, and loops turn by turn unless `run_band` computes their bands.
/// Memory that no step wrote holds poison. Arguments as for graph::Interpret.
PlanResult ExecutePlan(const plan::Plan& plan, const graph::ParameterValues& parameters,
                       const std::map<std::string, graph::Values>& inputs,
                       const KernelRunner& run = nullptr, const BandRunner& run_band = nullptr);

/// Verifies the plan, executes it and compares with graph::Interpret, where that has values.
/// Returns what is wrong; empty where nothing is.
std::string CheckPlan(const plan::Plan& plan, const graph::ParameterValues& parameters,
                      const std::map<std::string, graph::Values>& inputs);

}  // namespace stencilgen::testing
