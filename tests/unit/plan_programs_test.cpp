#include <string>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "plan/fuse_loops.h"
#include "plan_test_tools.h"
#include "support/program_generator.h"

// The plans of random programs from their source, in every size the program is meant for.
namespace stencilgen::testing {
namespace {

graph::ParameterValues ParametersOf(const graph::Graph& graph,
                                    const std::map<std::string, std::int64_t>& sizes) {
  graph::ParameterValues values;
  for (const graph::Parameter& parameter : graph.parameters) {
    const auto size = sizes.find(parameter.name);
    values.push_back(size != sizes.end() ? size->second : parameter.default_value.value_or(1));
  }
  return values;
}

TEST_CASE("plans of generated programs compute what the interpreter does") {
  constexpr std::uint64_t kPrograms = 500;
  std::uint64_t shared = 0;  // programs of which some statements may share their loops
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const TestProgram program = GenerateProgram(seed);
    INFO(program.text);
    const SourceFile source("program.idsl", program.text);
    DiagnosticSink sink;
    const std::optional<graph::Graph> graph = driver::CompileToGraph(source, {}, sink);
    REQUIRE(graph.has_value());
    const plan::Plan plan = plan::PlanKernels(*graph, {});
    const plan::Plan fused = plan::FuseLoops(
        plan, [](const graph::Graph&, const std::vector<const graph::Operator*>&) { return 1.0; });
    if (fused.kernels.size() < plan.kernels.size()) ++shared;
    INFO(plan::Print(plan) << "\nbecomes\n" << plan::Print(fused));
    for (const auto& sizes : program.sizes) {
      const graph::ParameterValues parameters = ParametersOf(*graph, sizes);
      const auto inputs = SomeInputs(*graph, parameters);
      REQUIRE(CheckPlan(plan, parameters, inputs) == "");
      REQUIRE(CheckPlan(fused, parameters, inputs) == "");
    }
  }
  CHECK(shared > kPrograms / 10);
}

}  // namespace
}  // namespace stencilgen::testing
