#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "graph/verify.h"
#include "plan/plan_kernels.h"
#include "plan/print.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/graph_builder.h"
#include "support/plan_executor.h"

/// What the tests of the planner share.
namespace stencilgen::testing {

/// Values for every array of the graph: different everywhere, small.
inline std::map<std::string, graph::Values> SomeInputs(const graph::Graph& graph,
                                                       const graph::ParameterValues& parameters) {
  std::map<std::string, graph::Values> inputs;
  int start = 1;
  for (const graph::Array& array : graph.arrays) {
    if (array.local) continue;
    std::size_t count = 1;
    for (const graph::LinearForm& extent : array.extents) {
      count *= static_cast<std::size_t>(graph::Evaluate(extent, parameters));
    }
    graph::Values values = graph::MakeValues(array.type, count);
    std::visit(
        [&](auto& elements) {
          using T = typename std::decay_t<decltype(elements)>::value_type;
          for (std::size_t i = 0; i < elements.size(); ++i) {
            const auto value = static_cast<int>((i * 7 + static_cast<std::size_t>(start)) % 13);
            elements[i] = static_cast<T>(static_cast<T>(value) / static_cast<T>(4));
          }
        },
        values);
    inputs.emplace(array.name, std::move(values));
    ++start;
  }
  return inputs;
}

/// Plans the graph and checks the plan with these sizes. Returns the plan.
inline plan::Plan PlanAndCheck(const graph::Graph& graph,
                               const std::vector<graph::ParameterValues>& sizes) {
  CHECK(graph::Verify(graph) == std::vector<std::string>{});
  const plan::Plan plan = plan::PlanKernels(graph, {});
  INFO(plan::Print(plan));
  for (const graph::ParameterValues& parameters : sizes) {
    CHECK(CheckPlan(plan, parameters, SomeInputs(graph, parameters)) == "");
  }
  return plan;
}

/// How many steps of a kind there are, loops included once.
template <typename StepT>
int Count(const std::vector<plan::Step>& steps) {
  int count = 0;
  for (const plan::Step& step : steps) {
    if (std::holds_alternative<StepT>(step)) ++count;
    if (const auto* repeat = std::get_if<plan::Repeat>(&step)) count += Count<StepT>(repeat->body);
  }
  return count;
}

/// The names of the buffers.
inline std::vector<std::string> BufferNames(const plan::Plan& plan) {
  std::vector<std::string> names;
  for (const plan::Buffer& buffer : plan.buffers) names.push_back(buffer.name);
  return names;
}

}  // namespace stencilgen::testing
