// When a program is split because its kernels spill, with answers of ptxas made up.
#include "driver/split_spilling.h"

#include <optional>
#include <string>
#include <vector>

#include "driver/choose_schedule.h"
#include "driver/pipeline.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/suite.h"

namespace stencilgen {
namespace {

driver::PipelineOptions Options() {
  driver::PipelineOptions options;
  options.unroll_given = {true, true, true};
  options.codegen.reorder.how = passes::Reorder::Auto;
  options.verify = true;
  return options;
}

/// rhs4center, where kernels of more flops a point than `most` spill so many bytes.
driver::ChosenPlan Choose(driver::PipelineOptions options, std::int64_t most, int bytes,
                          int* asked = nullptr) {
  const testing::Benchmark benchmark = testing::BenchmarkNamed("rhs4center");
  const SourceFile source(benchmark.name, benchmark.text);
  options.count_spills = [=](const plan::Plan& plan, const driver::CodegenOptions&) {
    if (asked != nullptr) ++*asked;
    std::vector<int> spills;
    for (const plan::Kernel& kernel : plan.kernels) {
      std::int64_t flops = 0;
      for (const graph::NodeId node : kernel.ops) {
        flops +=
            graph::FlopsPerPoint(plan.graph, std::get<graph::Operator>(plan.graph.nodes[node]));
      }
      spills.push_back(flops > most ? bytes : 0);
    }
    return spills;
  };
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  REQUIRE(graph);
  return driver::CompileToChosenPlan(*std::move(graph), options);
}

TEST_CASE("a program that spills is split where that costs less than what it spills") {
  const driver::ChosenPlan whole = Choose(Options(), 1 << 20, 0);
  CHECK(whole.plan.kernels.size() == 3);
  CHECK(whole.fission.stretches.empty());
  const driver::ChosenPlan split = Choose(Options(), 200, 1000);
  CHECK(split.plan.kernels.size() > 3);
  CHECK(split.fission.stretches.size() == 1);
  CHECK(split.chosen.split >= 2);
  CHECK(plan::Verify(split.plan) == std::vector<std::string>{});
  for (const plan::Kernel& kernel : split.plan.kernels) CHECK_FALSE(kernel.tile);
}

TEST_CASE("few spilled bytes are cheaper than the traffic of a split program") {
  CHECK(Choose(Options(), 200, 8).fission.stretches.empty());
}

TEST_CASE("what spills when split as well stays whole") {
  int asked = 0;
  const driver::ChosenPlan chosen = Choose(Options(), 0, 200, &asked);
  CHECK(chosen.fission.stretches.empty());
  CHECK(asked >= 2);
  CHECK(asked <= 8);
}

TEST_CASE(
    "nothing is split where options say which statements share kernels, or orders are given") {
  for (const int given : {0, 1, 2, 3}) {
    driver::PipelineOptions options = Options();
    if (given == 0) options.given.fusion = true;
    if (given == 1) options.given.stream = true;
    if (given == 2) options.codegen.reorder.how = passes::Reorder::Lars;
    if (given == 3) options.target = driver::Target::Cpp;
    int asked = 0;
    CHECK(Choose(options, 200, 1000, &asked).fission.stretches.empty());
    CHECK(asked == 0);
  }
}

}  // namespace
}  // namespace stencilgen
