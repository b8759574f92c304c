// Which loops have graphs, and what verifiers say of wrong ones.
#include "plan/turn_graph.h"

#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/explain_graphs.h"
#include "driver/pipeline.h"
#include "kernel/module.h"
#include "lower/lower.h"
#include "plan/print.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/source.h"

namespace stencilgen::plan {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kHead =
    "parameter M=200, N=300, T=5000, K=4;\niterator j, i;\n"
    "double u[M,N], v[M,N], w[M,N], h[T], s, r;\ncopyin u, v, w, h, s, r;\n"
    "stencil relax (v, u) {\n"
    "  v[j][i] = 0.25*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]);\n}\n"
    "stencil grow (u) { u[j][i] *= 1.5; }\n"
    "stencil fade (s) { s = 0.5*s; }\n"
    "stencil scale (u, s) { u[j][i] *= s; }\n"
    "stencil largest (r, u) { r = max(u[j][i]); }\n";

/// For loops that name their turn.
constexpr const char* kInject = "stencil inject (u, h) { [1:1][1:1] : u[j][i] += h[t]; }\n";

driver::PipelineOptions Options(GraphUse use) {
  driver::PipelineOptions options;
  options.schedule.shared_memory = false;
  options.unroll_given = {true, true, true};
  options.graphs = use;
  options.verify = true;
  return options;
}

driver::ChosenPlan PlanOf(const std::string& loop, GraphUse use = GraphUse::Auto,
                          const std::map<std::string, std::int64_t>& fixed = {}) {
  const SourceFile source("test.idsl",
                          fmt::format("{}{}{}\ncopyout u, v, w;\n", kHead,
                                      loop.find("inject") == loop.npos ? "" : kInject, loop));
  driver::PipelineOptions options = Options(use);
  options.fixed = fixed;
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  INFO(RenderText(source, sink.diagnostics(), 5, false));
  REQUIRE(graph);
  return driver::CompileToChosenPlan(*std::move(graph), options);
}

std::string Explained(const std::string& loop, GraphUse use = GraphUse::Auto,
                      const std::map<std::string, std::int64_t>& fixed = {}) {
  return driver::ExplainGraphs(PlanOf(loop, use, fixed), nullptr);
}

constexpr const char* kSwaps = "iterate T { relax (v, u); swap u, v; }";

Repeat& FirstLoop(Plan& plan) {
  for (Step& step : plan.steps) {
    if (auto* repeat = std::get_if<Repeat>(&step)) return *repeat;
  }
  FAIL("no loop");
  std::abort();
}

std::string Problems(const std::vector<std::string>& problems) {
  return fmt::format("{}", fmt::join(problems, "; "));
}

TEST_CASE("a loop of small kernels is launched as graphs") {
  const driver::ChosenPlan chosen = PlanOf(kSwaps);
  CHECK_THAT(Print(chosen.plan),
             Contains("in graphs of 64 turns, or others a multiple of 2, from 1024 turns on, where "
                      "a turn moves at most"));
  // An array is read and one is written: 2 * 8 * 200 * 300 bytes.
  Plan plan = chosen.plan;
  CHECK(BytesOfTurn(plan, FirstLoop(plan), chosen.sizes) == 960000);
  CHECK_THAT(driver::ExplainGraphs(chosen, nullptr),
             Contains("over T turns is launched as graphs of 64 from 1024 on") &&
                 Contains("(5000 launches of 0.96 MB) it is"));
}

TEST_CASE("what a graph cannot have is said") {
  const auto why = [](const std::string& loop) { return Explained(loop); };
  CHECK_THAT(why("iterate t : T { relax (v, u); inject (v, h); swap u, v; }"),
             Contains("turn by turn: its kernels are given t, the number of the turn"));
  CHECK_THAT(why("iterate T { fade (s); scale (u, s); }"), Contains("the host computes s"));
  CHECK_THAT(why("iterate T until r < 0.5 { relax (v, u); largest (r, v); swap u, v; }"),
             Contains("a condition may end it after any turn"));
  CHECK_THAT(why("iterate 1000 { grow (u); }"),
             Contains("it has 1000 turns, and graphs pay from 1024 on"));
  CHECK_THAT(why("iterate T { iterate 300 { grow (u); } }"),
             Contains("a turn has more than 256 launches") &&
                 Contains("it has 300 turns, and graphs pay from 1024 on"));
  CHECK_THAT(Explained(kSwaps, GraphUse::Never), Contains("turn by turn: graphs are not wanted"));
  CHECK_THAT(Explained(kSwaps, GraphUse::Auto, {{"M", 4000}, {"N", 4000}}),
             Contains("its kernels take longer than launches"));
}

TEST_CASE("a loop that turns any number of times has the graphs, not the loop around it") {
  CHECK_THAT(Explained("iterate K { iterate T { relax (v, u); swap u, v; } grow (u); }"),
             Contains("over K turns is launched turn by turn: how often a loop in it turns") &&
                 Contains("over T turns is launched as graphs"));
  CHECK_THAT(Explained("iterate T { iterate 3 { relax (v, u); swap u, v; } grow (u); }"),
             Contains("as graphs of 16 from 256 on") && !Contains("over 3 turns"));
}

TEST_CASE("a named turn that no kernel takes does no harm") {
  CHECK_THAT(Explained("iterate t : T { relax (v, u); swap u, v; }"), Contains("as graphs of 64"));
}

TEST_CASE("known sizes are decided at once") {
  Plan plan = PlanOf(kSwaps, GraphUse::Auto, {{"M", 40}, {"N", 40}}).plan;
  REQUIRE(FirstLoop(plan).graph);
  CHECK(FirstLoop(plan).graph->most_bytes == 0);
}

TEST_CASE("wrong graphs of a plan are found") {
  Plan plan = PlanOf(kSwaps).plan;
  REQUIRE(Problems(Verify(plan)).empty());
  std::optional<TurnGraph>& graph = FirstLoop(plan).graph;
  REQUIRE(graph);
  const TurnGraph right = *graph;
  graph->period = 1;
  CHECK_THAT(Problems(Verify(plan)), Contains("other memory when a graph is launched again"));
  graph = right;
  graph->turns = 63;
  CHECK_THAT(Problems(Verify(plan)), Contains("a part of a period"));
  graph = right;
  graph->least = 2;
  CHECK_THAT(Problems(Verify(plan)), Contains("graphs of no turns"));
  Plan turn = PlanOf("iterate t : T { relax (v, u); inject (v, h); swap u, v; }").plan;
  FirstLoop(turn).graph = right;
  CHECK_THAT(Problems(Verify(turn)), Contains("the number of the turn"));
  Plan nested = PlanOf("iterate T { iterate 3 { relax (v, u); swap u, v; } grow (u); }").plan;
  REQUIRE(FirstLoop(nested).graph);
  std::get<Repeat>(FirstLoop(nested).body.front()).graph = right;
  CHECK_THAT(Problems(Verify(nested)), Contains("it is in another one"));
}

TEST_CASE("wrong graphs of code are found") {
  const auto lower = [](const std::string& loop) {
    return lower::Lower(PlanOf(loop, GraphUse::Always).plan, {}, kernel::Target::Device);
  };
  const auto loop_of = [](kernel::Module& module) -> kernel::RepeatStep& {
    for (kernel::Step& step : module.steps) {
      if (auto* repeat = std::get_if<kernel::RepeatStep>(&step.what)) return *repeat;
    }
    FAIL("no loop");
    std::abort();
  };
  const std::string swaps = kSwaps;
  kernel::Module module = lower(swaps);
  REQUIRE(Problems(kernel::Verify(module)).empty());
  const std::optional<kernel::TurnGraph> right = loop_of(module).graph;
  REQUIRE(right);
  loop_of(module).graph->period = 1;
  CHECK_THAT(Problems(kernel::Verify(module)), Contains("memory is elsewhere after a period"));
  module = lower(swaps);
  loop_of(module).graph->turns = 1;
  CHECK_THAT(Problems(kernel::Verify(module)), Contains("a part of a period"));
  module = lower(swaps);
  loop_of(module).body.push_back(
      {kernel::ReadStep{kernel::MakeVar("x", kernel::kIndex), 0, kernel::Number(0)}});
  CHECK_THAT(Problems(kernel::Verify(module)), Contains("waits for an element"));
  module = lower("iterate t : T { relax (v, u); inject (v, h); swap u, v; }");
  loop_of(module).graph = right;
  CHECK_THAT(Problems(kernel::Verify(module)), Contains("the variable that it counts with"));
  loop_of(module).var = kernel::MakeVar("step", kernel::kIndex);
  CHECK_THAT(Problems(kernel::Verify(module)), Contains("t is another one in each turn"));
  module = lower("iterate T { fade (s); scale (u, s); }");
  loop_of(module).graph = right;
  CHECK_THAT(Problems(kernel::Verify(module)), Contains("computes something in each turn"));
}

}  // namespace
}  // namespace stencilgen::plan
