#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "driver/schedule_notes.h"
#include "graph/builder.h"
#include "graph/interpret.h"
#include "graph/nodes.h"
#include "graph/print.h"
#include "graph/turns.h"
#include "graph/verify.h"
#include "passes/eliminate_dead.h"
#include "passes/split_looks.h"
#include "plan/looks.h"
#include "plan/print.h"
#include "plan/time_band.h"
#include "plan/verify.h"
#include "support/catch.h"

// Loops that end by a condition: after which turn, and what is computed in which turns.
namespace stencilgen {
namespace {

using Doubles = std::vector<double>;
using Texts = std::vector<std::string>;
using graph::Graph;
using graph::Values;

driver::PipelineOptions CppOptions() {
  driver::PipelineOptions options;
  options.target = driver::Target::Cpp;
  options.schedule.shared_memory = options.schedule.shuffle = false;
  return options;
}

Graph Compile(const std::string& text, const driver::PipelineOptions& options = CppOptions()) {
  const SourceFile source("p", text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  CHECK(graph::Verify(*graph) == Texts{});
  return std::move(*graph);
}

/// A loop that halves u and counts its turns in w; r is the largest u. `T` and `K` are sizes.
std::string Halving(const std::string& head) {
  return "parameter N, T, K; iterator i; double u[N], v[N], w[N], r, s; copyin u, w, s;"
         "stencil halve (v, u) { v[i] = 0.5*u[i]; }"
         "stencil count (w) { w[i] += 1.0; }"
         "stencil measure (r, u) { r = max(u[i]); }"
         "stencil more (s) { s = s + 1.0; }"
         "iterate " +
         head +
         " { halve (v, u); swap u, v; count (w); measure (r, u); more (s); }"
         "copyout u, w, r;";
}

struct Left {
  double u = 0, turns = 0, r = 0;
  friend bool operator==(const Left&, const Left&) = default;
};

/// What the loop leaves, beginning with u = 16 and s = 0.
Left Run(const std::string& head, std::int64_t turns, std::int64_t every = 1) {
  const Graph graph = Compile(Halving(head));
  graph::ParameterValues sizes = {3, turns, every};
  sizes.resize(graph.parameters.size());  // the turn's value too
  const graph::InterpretResult result = graph::Interpret(
      graph, sizes, {{"u", Doubles{16, 16, 16}}, {"w", Doubles{0, 0, 0}}, {"s", Doubles{0}}});
  REQUIRE(result.error.empty());
  const auto first = [&](std::size_t output) {
    return graph::ElementAsDouble(result.outputs.at(output), 0);
  };
  return {first(0), first(1), first(2)};
}

TEST_CASE(
    "a loop ends after the first turn that is looked at and at whose end the condition holds") {
  CHECK(Run("T until r < 3.0", 10) == Left{2, 3, 2});
  CHECK(Run("T until r < 3.0", 2) == Left{4, 2, 4});
  CHECK(Run("T until r < 3.0", 1) == Left{8, 1, 8});
  CHECK(Run("T until r < 100.0", 10) == Left{8, 1, 8});
  CHECK(Run("T until r < 0.0", 4) == Left{1, 4, 1});
  CHECK(Run("T until r < 3.0 every 1", 10) == Left{2, 3, 2});
  CHECK(Run("T until r < 3.0 every 2", 10) == Left{1, 4, 1});
  CHECK(Run("T until r < 3.0 every 5", 10) == Left{0.5, 5, 0.5});
  CHECK(Run("T until r < 3.0 every (K)", 10, 4) == Left{1, 4, 1});
  CHECK(Run("[T] until r < 3.0 every [K+1]", 10, 2) == Left{2, 3, 2});
  // Never looked at, and looked at for the last time before it holds.
  CHECK(Run("T until r < 3.0 every 6", 5) == Left{0.5, 5, 0.5});
  CHECK(Run("T until r < 1.0 every 3", 5) == Left{0.5, 5, 0.5});
}

TEST_CASE("a condition is of scalars, parameters, numbers and the turn") {
  CHECK(Run("T until s >= 3.0", 10) == Left{2, 3, 2});
  CHECK(Run("T until r < 3.0 && s > 4.0", 10) == Left{0.5, 5, 0.5});
  CHECK(Run("T until r < 3.0 || s > 1.0", 10) == Left{4, 2, 4});
  CHECK(Run("t : T until t == 3", 10) == Left{1, 4, 1});
  CHECK(Run("t : T until !(t < K) every 2", 10, 2) == Left{1, 4, 1});
  CHECK(Run("T until K > 1", 10, 1) == Left{0.015625, 10, 0.015625});
  CHECK(Run("T until min(r, s) < 1.0", 10) == Left{0.5, 5, 0.5});
}

TEST_CASE("a condition that is no number does not hold") {
  CHECK(Run("T until sqrt(-r) < 1.0", 3) == Left{2, 3, 2});
}

TEST_CASE("an inner loop ends in each turn of the outer one anew") {
  const Graph graph = Compile(
      "parameter N, T, S; iterator i; double u[N], w[N], r, total; copyin u, w;"
      "stencil halve (u) { u[i] *= 0.5; }"
      "stencil grow (u) { u[i] *= 8.0; }"
      "stencil count (w) { w[i] += 1.0; }"
      "stencil measure (r, u) { r = max(u[i]); }"
      "stencil all_turns (total, w) { total = max(w[i]); }"
      "iterate S until total > 8.0 {"
      "  grow (u);"
      "  iterate T until r < 3.0 every 2 { halve (u); count (w); measure (r, u); }"
      "  all_turns (total, w);"
      "} copyout u, w;");
  const auto run = [&](std::int64_t turns, std::int64_t outer) {
    const graph::InterpretResult result =
        graph::Interpret(graph, {2, turns, outer}, {{"u", Doubles{1, 1}}, {"w", Doubles{0, 0}}});
    REQUIRE(result.error.empty());
    return Texts{std::to_string(graph::ElementAsDouble(result.outputs.at(0), 0)),
                 std::to_string(graph::ElementAsDouble(result.outputs.at(1), 0))};
  };
  // 8 4 2 | 16 8 4 2 1 | 8 4 2 | ...: two turns, four, two, ...
  CHECK(run(10, 1) == Texts{"2.000000", "2.000000"});
  CHECK(run(10, 2) == Texts{"1.000000", "6.000000"});
  CHECK(run(10, 3) == Texts{"2.000000", "8.000000"});
  CHECK(run(10, 9) == Texts{"1.000000", "12.000000"});
}

TEST_CASE("graphs that programs build have loops with conditions") {
  graph::Builder b("p", {"i"});
  const graph::LinearForm n = b.Parameter("N"), t = b.Parameter("T");
  const auto u = b.Array("u", {n}).CopyIn().CopyOut();
  const auto s = b.Scalar("s");
  b.Repeat(t, {u, s}, [&] {
    b.Assign(u, {{0, n - 1}}, 0.5 * u(0));
    b.Assign(s, {}, s() + 1.0);
    b.Until({&b, b.graph().exprs.Add({graph::Binary{BinaryOp::GreaterEqual, s().id, b.Number(3).id},
                                      ScalarType::Bool,
                                      {}})},
            graph::LinearForm::Constant(2));
  });
  const SourceFile source("p", "");
  DiagnosticSink sink;
  const std::optional<Graph> graph = b.Finish(sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  const graph::InterpretResult result =
      graph::Interpret(*graph, {1, 9}, {{"u", Doubles{16}}, {"s", Doubles{0}}});
  CHECK(result.outputs.at(0) == Values(Doubles{1}));
}

TEST_CASE("a program that builds a loop ends it with the condition") {
  const auto errors = [](bool inside) {
    graph::Builder b("p", {"i"});
    const auto u = b.Array("u", {4}).CopyIn().CopyOut();
    const auto condition = [&] {
      return graph::BuiltExpr{&b,
                              b.graph().exprs.Add({graph::Literal{0, 1}, ScalarType::Bool, {}})};
    };
    b.Repeat(graph::LinearForm::Constant(3), {u}, [&] {
      if (inside) b.Until(condition());
      b.Assign(u, {{0, 3}}, 0.5 * u(0));
    });
    if (!inside) b.Until(condition());
    return b.errors();
  };
  CHECK(errors(true) == Texts{"a loop goes on after `Until`"});
  CHECK(errors(false) == Texts{"`Until` is called outside of a loop"});
}

TEST_CASE("the verifier knows what ends a loop") {
  const Graph good = Compile(Halving("T until r < 3.0 every 2"));
  const auto broken = [&](const auto& change) {
    Graph graph = good;
    for (graph::Node& node : graph.nodes) {
      if (auto* loop = std::get_if<graph::Loop>(&node)) change(graph, *loop);
    }
    const Texts problems = graph::Verify(graph);
    return problems.empty() ? std::string() : problems.front();
  };
  CHECK(broken([](Graph&, graph::Loop&) {}).empty());
  CHECK(broken([](Graph&, graph::Loop& loop) {
          loop.stop->every = graph::LinearForm::Constant(0);
        }) == "a loop looks at its end after a number of turns that may not be positive");
  CHECK(broken([](Graph&, graph::Loop& loop) {
          loop.stop->every = graph::LinearForm::Parameter({0}) - 1;
        }) == "a loop looks at its end after a number of turns that may not be positive");
  CHECK(broken([](Graph&, graph::Loop& loop) {
          loop.turns = {loop.turns.count, 2, true};
        }) == "a loop that may end before its turns are over has those that another leaves");
  CHECK(broken([](Graph&, graph::Loop& loop) { loop.stop->condition = {}; }) ==
        "what ends a loop does not exist");
  CHECK(broken([](Graph&, graph::Loop& loop) {
          loop.stop->condition = loop.carried.front().next;
        }) == "what ends a loop is not the result of its last operator");
  CHECK(broken([](Graph& graph, graph::Loop& loop) {
          std::vector<graph::NodeId>& nodes = graph.regions[loop.body].nodes;
          std::swap(nodes.front(), nodes.back());
        }) == "what ends a loop is not the result of its last operator");
}

TEST_CASE("what only the condition needs is computed where it is looked at") {
  const auto plan_of = [](const std::string& head, const std::string& out) {
    std::string text = Halving(head);
    text.replace(text.find("copyout u, w, r"), std::string("copyout u, w, r").size(),
                 "copyout " + out);
    plan::Plan plan = driver::CompileToPlan(Compile(text), CppOptions());
    CHECK(plan::Verify(plan) == Texts{});
    return plan;
  };
  const auto looks_in = [](const plan::Plan& plan) {
    const auto* loop = std::get_if<plan::Repeat>(&plan.steps.back());
    REQUIRE(loop != nullptr);
    return plan::FindLooks(plan, *loop);
  };
  const auto names = [&](const plan::Plan& plan) {
    Texts found;
    for (const plan::KernelId kernel : looks_in(plan).kernels) {
      found.push_back(plan.kernels[kernel].name);
    }
    return found;
  };
  const plan::Plan plan = plan_of("T until r < 3.0 every 2", "u, w");
  CHECK(names(plan) == Texts{"measure", "measure_2", "measure_3"});
  CHECK(looks_in(plan).scalars.size() == 1);
  CHECK_FALSE(looks_in(plan).results);
  CHECK(looks_in(plan_of("T until r < 3.0 every 2", "u, r")).results);
  // A scalar of the host that goes on from turn to turn is needed in all of them.
  CHECK(names(plan_of("T until s > 3.0 every 2", "u, w")).empty());
  CHECK(names(plan_of("T", "u, r")).empty());
  // What the next turn reads.
  const Graph graph = Compile(
      "parameter N, T; iterator i; double u[N], r; copyin u, r;"
      "stencil scale (u, r) { u[i] /= 1.0 + r; } stencil measure (r, u) { r = max(u[i]); }"
      "iterate T until r < 3.0 every 2 { scale (u, r); measure (r, u); } copyout u;");
  const plan::Plan needed = driver::CompileToPlan(graph, CppOptions());
  CHECK(names(needed).empty());
}

TEST_CASE("a loop with a condition runs turn by turn") {
  driver::PipelineOptions options = CppOptions();
  options.time_tile = 4;
  options.given.time_tile = true;
  const plan::Plan plan =
      driver::CompileToPlan(Compile(Halving("t : T until t > K"), options), options);
  const auto& loop = std::get<plan::Repeat>(plan.steps.back());
  CHECK_FALSE(loop.band.has_value());
  CHECK(loop.turns.divisor == 1);
  const auto refused = plan::FindTimeBand(plan, loop);
  REQUIRE(std::holds_alternative<std::string>(refused));
  CHECK(std::get<std::string>(refused) == "a condition may end it after any of them");
}

TEST_CASE("time tiles on a GPU that a condition keeps from being made are noted") {
  driver::PipelineOptions options;
  options.time_tile = 4;
  options.given.time_tile = true;
  const auto notes = [&](const std::string& head) {
    const Graph graph = Compile(Halving(head), options);
    CHECK(graph::MayEndEarly(graph));
    return driver::FindSplitKernels(driver::CompileToPlan(graph, options), options);
  };
  const Texts refused = {
      "--time-tile 4: the loop over T turns runs turn by turn: a condition may end it after any of "
      "them"};
  CHECK(notes("T until r < 3.0") == refused);
  CHECK(notes("T until r < 3.0 every 2") == refused);
  CHECK(notes("T until r < 3.0 every K") == refused);
  CHECK(notes("t : T until r < 3.0 every 10") == refused);
  // What is left to say is about kernels: the tool's options here have no tiles.
  for (const std::string& note : notes("T until r < 3.0 every 10")) {
    CHECK(note.find("turn by turn") == std::string::npos);
  }
  CHECK_FALSE(graph::MayEndEarly(Compile(Halving("T"), options)));
}

// The turns between two looks as a loop of their own (passes/split_looks.h).

/// The loops of a program for a GPU, by their turns and ends.
Texts LoopsOf(const Graph& graph) {
  Texts loops;
  const Texts versions = graph::VersionNames(graph);
  const Texts names = graph::ParameterNames(graph);
  for (const graph::Node& node : graph.nodes) {
    const auto* loop = std::get_if<graph::Loop>(&node);
    if (loop == nullptr) continue;
    std::string text = graph::TurnsText(*loop, names);
    if (loop->stop) text += " until";
    if (loop->unless.Valid()) text += " unless";
    loops.push_back(text);
  }
  std::sort(loops.begin(), loops.end());
  return loops;
}

Graph SplitAndClean(const Graph& graph) {
  Graph split = passes::EliminateDead(passes::SplitLooks(graph));
  CHECK(graph::Verify(split) == Texts{});
  return split;
}

TEST_CASE("the turns between two looks are a loop of their own") {
  const auto loops = [](const std::string& head) {
    return LoopsOf(SplitAndClean(Compile(Halving(head))));
  };
  CHECK(loops("T until r < 3.0 every 10") ==
        Texts{"(T) mod 10 unless", "9", "floor((T)/10) until"});
  // Nothing is left over, and nothing is looked at.
  CHECK(loops("[10*T] until r < 3.0 every 5") == Texts{"4", "floor((10*T)/5) until"});
  CHECK(loops("8 until r < 3.0 every 10") == Texts{"8"});
  // They stay as they are.
  CHECK(loops("T until r < 3.0") == Texts{"T until"});
  CHECK(loops("T until r < 3.0 every 2") == Texts{"T until"});
  CHECK(loops("T until r < 3.0 every K") == Texts{"T until"});
  CHECK(loops("t : T until r < 3.0 every 10") == Texts{"t : T until"});
}

TEST_CASE("a turn that needs a reduction of the turn before keeps its loop") {
  const Graph graph = Compile(
      "parameter N, T; iterator i; double u[N], r; copyin u, r;"
      "stencil scale (u, r) { u[i] /= 1.0 + r; } stencil measure (r, u) { r = max(u[i]); }"
      "iterate T until r < 3.0 every 5 { scale (u, r); measure (r, u); } copyout u;");
  CHECK(LoopsOf(SplitAndClean(graph)) == Texts{"T until"});
}

TEST_CASE("between looks nothing is computed that only looks need") {
  const Graph graph = SplitAndClean(Compile(Halving("T until r < 3.0 every 10")));
  int between = 0;
  for (const graph::Node& node : graph.nodes) {
    const auto* loop = std::get_if<graph::Loop>(&node);
    if (loop == nullptr || loop->turns != graph::Turns{graph::LinearForm::Constant(9)}) continue;
    ++between;
    for (const graph::NodeId inner : graph.regions[loop->body].nodes) {
      CHECK_FALSE(graph::OperatorOf(graph, inner).reduction.has_value());
    }
  }
  CHECK(between == 1);
}

TEST_CASE("loops that are taken apart at their looks end after the same turn") {
  const std::vector<std::string> conditions = {"r < 3.0", "r < 0.4", "r < 0.0", "r < 100.0",
                                               "r < 1.0 && s > 3.0"};
  for (const std::string& condition : conditions) {
    const Graph whole = Compile(Halving("T until " + condition + " every 3"));
    const Graph split = SplitAndClean(whole);
    REQUIRE(LoopsOf(split).size() == 3);
    for (std::int64_t turns = 0; turns <= 11; ++turns) {
      const auto run = [&](const Graph& graph) {
        return graph::Interpret(
            graph, {3, turns, 1},
            {{"u", Doubles{16, 8, 4}}, {"w", Doubles{0, 0, 0}}, {"s", Doubles{0}}});
      };
      const graph::InterpretResult expected = run(whole), got = run(split);
      INFO(condition << ", " << turns << " turns");
      CHECK(got.error == expected.error);
      CHECK(got.outputs == expected.outputs);
      CHECK(got.defined == expected.defined);
    }
  }
}

TEST_CASE("the verifier knows what keeps a loop from running") {
  const Graph good = SplitAndClean(Compile(Halving("T until r < 3.0 every 10")));
  const auto broken = [&](const auto& change) {
    Graph graph = good;
    for (graph::Node& node : graph.nodes) {
      auto* loop = std::get_if<graph::Loop>(&node);
      if (loop != nullptr && loop->unless.Valid()) change(*loop);
    }
    const Texts problems = graph::Verify(graph);
    return problems.empty() ? std::string() : problems.front();
  };
  CHECK(broken([](graph::Loop&) {}).empty());
  const std::string problem = "what keeps a loop from running is no bool";
  CHECK(broken([](graph::Loop& loop) { loop.unless = loop.carried.front().initial; }) == problem);
  CHECK(broken([](graph::Loop& loop) { loop.unless = {100000}; }) == problem);
  CHECK(broken([](graph::Loop& loop) { loop.stop = graph::Stop{loop.unless}; }) ==
        "a loop that may end before its turns are over has those that another leaves");
}

}  // namespace
}  // namespace stencilgen
