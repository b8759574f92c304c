#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "machine/gpu.h"
#include "plan/plan.h"

/// Loops of many short kernels, which take less time than their launches: some turns become a graph
/// of the GPU's runtime, which is made once and launched again and again.
namespace stencilgen::plan {

enum class GraphUse { Auto, Always, Never };

/// What decides where graphs pay.
struct GraphRules {
  GraphUse use = GraphUse::Auto;
  /// Bytes that the device moves while it starts a few kernels: where a kernel moves more, the next
  /// launch is hidden behind it. Only for Auto.
  double bytes_of_launch = 0;
};

GraphRules GraphRulesFor(GraphUse use, const machine::Gpu& device);

/// The graph of a loop, or why it has none: a condition ends it, kernels take the number of the
/// turn, it is too short, ...
/// Requires: GraphUse::Auto or Always.
std::variant<TurnGraph, std::string> FindTurnGraph(const Plan& plan, const Repeat& repeat,
                                                   const GraphRules& rules);

/// Loops get graphs, outer ones before those in them, but for what runs in other ways.
/// Requires: a plan for a GPU; Verify(plan) is empty. Ensures: it still is.
Plan AddTurnGraphs(Plan plan, const GraphRules& rules);

/// What is wrong with the graphs of the plan's loops: turns that differ, memory that is elsewhere
/// when a graph is launched again. Empty: nothing.
std::vector<std::string> VerifyTurnGraphs(const Plan& plan);

/// The buffers that a turn of a loop with a graph reads or writes, and how often: as if each of its
/// kernels moved all of an array.
std::map<BufferId, std::int64_t> MovedInTurn(const Plan& plan, const Repeat& repeat);

/// The same in bytes.
double BytesOfTurn(const Plan& plan, const Repeat& repeat, const graph::ParameterValues& values);

}  // namespace stencilgen::plan
