#pragma once

#include <array>
#include <string>
#include <vector>

#include "driver/choose_schedule.h"
#include "graph/graph.h"
#include "machine/gpu.h"
#include "passes/split_kernels.h"
#include "plan/plan.h"

/// Plans of programs that kernel fission has cut (`--split`).
namespace stencilgen::driver {

/// The ways to treat values that cross, in the order in which they are tried.
inline constexpr std::array<passes::Crossing, 3> kCrossings = {
    passes::Crossing::Cheaper, passes::Crossing::Recompute, passes::Crossing::Store};

/// Statements of a program that is split where nobody asks for it, at most.
inline constexpr int kMostSplit = 40;

/// The rule for values that cross, weighed by what the device computes while it moves a byte.
passes::CrossingRule CrossingRuleFor(const machine::Gpu& device, const graph::Graph& graph,
                                     passes::Crossing crossing);

/// The parts of all stretches: what should be a kernel each.
std::vector<std::vector<graph::NodeId>> PartsOf(const passes::FissionReport& report);

/// The most parts that `--split auto` tries.
int MostParts(const graph::Graph& graph);

/// How many kernels more than parts there are, because a part did not fit into one.
int CountBroken(const plan::Plan& plan, const passes::FissionReport& report);

/// True where both treat all values that cross alike.
bool AreAlike(const passes::FissionReport& a, const passes::FissionReport& b);

/// Stretches that have fewer parts than `--split N` asks for, and parts that are several kernels.
std::vector<std::string> FindSplitNotes(const ChosenPlan& chosen, const SplitOptions& options);

/// The parts of each stretch with their work, and which values are stored or computed in each, in
/// lines of two spaces and text; empty where nothing was split.
std::string ExplainSplit(const ChosenPlan& chosen);

}  // namespace stencilgen::driver
