#include "passes/unroll_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "graph/print.h"
#include "passes/eliminate_dead.h"
#include "plan_test_tools.h"
#include "support/differential.h"
#include "support/emit.h"
#include "support/program_generator.h"
#include "support/suite.h"
#include "support/temporary_directory.h"
#include "tools/explain/metrics.h"

// Bodies of loops, repeated: the graph, what it means, and what becomes of it.
namespace stencilgen::testing {
namespace {

using graph::Graph;
using graph::LinearForm;
using graph::Loop;
using graph::Operator;
using graph::Turns;
using passes::UnrollTime;

/// `u` smoothed `count` times.
struct Jacobi {
  GraphBuilder b{{"i"}};
  LinearForm m = b.Parameter("M"), t = b.Parameter("T");
  ArrayHandle u = b.Array("u", {m}).CopyIn().CopyOut();

  Graph Repeated(const LinearForm& count) {
    b.Repeat(count, {u}, [&] { b.Assign(u, {{1, m - 2}}, 0.5 * (u(-1) + u(1))); });
    return b.Finish();
  }
};

/// The loops of the program's own level.
std::vector<Loop> Loops(const Graph& graph) {
  std::vector<Loop> loops;
  for (const graph::NodeId node : graph.regions[graph.root].nodes) {
    if (const auto* loop = std::get_if<Loop>(&graph.nodes[node])) loops.push_back(*loop);
  }
  return loops;
}

std::size_t BodySize(const Graph& graph, const Loop& loop) {
  return graph.regions[loop.body].nodes.size();
}

/// The turns and the size of the body of each loop: `floor((T)/2): 2`.
std::vector<std::string> Shapes(const Graph& graph) {
  std::vector<std::string> shapes;
  for (const Loop& loop : Loops(graph)) {
    shapes.push_back(fmt::format("{}: {}",
                                 graph::ToString(loop.turns, graph::ParameterNames(graph)),
                                 BodySize(graph, loop)));
  }
  return shapes;
}

using Texts = std::vector<std::string>;

TEST_CASE("a loop becomes a main loop and one for the rest") {
  const Graph before = Jacobi().Repeated(LinearForm::Constant(7));
  const Graph graph = UnrollTime(before, 3);
  CHECK(graph::Verify(graph) == Texts{});
  const std::vector<Loop> loops = Loops(graph);
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].turns == Turns{LinearForm::Constant(7), 3, false});
  CHECK(loops[1].turns == Turns{LinearForm::Constant(7), 3, true});
  REQUIRE(BodySize(graph, loops[0]) == 3);
  REQUIRE(BodySize(graph, loops[1]) == 1);
  // Each copy is over, and reads, what the one before it made.
  graph::VersionId version = loops[0].carried.at(0).entry;
  for (const graph::NodeId node : graph.regions[loops[0].body].nodes) {
    const auto& op = std::get<Operator>(graph.nodes[node]);
    CHECK(op.background == version);
    for (const graph::ExprId access : graph::Accesses(graph, op)) {
      CHECK(std::get<graph::Access>(graph.exprs[access].node).version == version);
    }
    version = op.result;
  }
  CHECK(loops[0].carried[0].next == version);
  CHECK(loops[1].carried.at(0).initial == loops[0].carried[0].result);
  CHECK(graph.outputs.at(0).version == loops[1].carried[0].result);
}

TEST_CASE("no loop that certainly never runs, no body repeated more often than it can run") {
  const auto shapes = [](const LinearForm& count, int steps) {
    const Graph graph = UnrollTime(Jacobi().Repeated(count), steps);
    CHECK(graph::Verify(graph) == Texts{});
    return Shapes(graph);
  };
  const auto constant = [](std::int64_t value) { return LinearForm::Constant(value); };
  const LinearForm t = Jacobi().t;
  CHECK(shapes(t, 2) == Texts{"floor((T)/2): 2", "(T) mod 2: 1"});
  CHECK(shapes(t - 1, 4) == Texts{"floor((T - 1)/4): 4", "(T - 1) mod 4: 1"});
  CHECK(shapes(t * 4 + 8, 4) == Texts{"floor((4*T + 8)/4): 4"});
  CHECK(shapes(t * 4 + 2, 4) == Texts{"floor((4*T + 2)/4): 4", "(4*T + 2) mod 4: 1"});
  CHECK(shapes(t * 2 + 4, 4) == Texts{"floor((2*T + 4)/4): 4", "(2*T + 4) mod 4: 1"});
  CHECK(shapes(constant(5), 2) == Texts{"floor((5)/2): 2", "(5) mod 2: 1"});
  CHECK(shapes(constant(6), 3) == Texts{"floor((6)/3): 3"});
  CHECK(shapes(constant(3), 8) == Texts{"floor((3)/3): 3"});
  CHECK(shapes(constant(4) - t, 8) == Texts{"floor((4 - T)/3): 3", "(4 - T) mod 3: 1"});
  for (const LinearForm& few : {constant(1), constant(0), constant(2) - t}) {
    const Graph before = Jacobi().Repeated(few);
    CHECK(graph::Print(UnrollTime(before, 4)) == graph::Print(before));
  }
  const Graph before = Jacobi().Repeated(t);
  CHECK(graph::Print(UnrollTime(before, 1)) == graph::Print(before));
}

TEST_CASE("only innermost loops are repeated, and empty ones are not") {
  Jacobi j;
  j.b.Repeat(j.t, {j.u}, [&] {
    j.b.Repeat(j.t - 1, {j.u}, [&] { j.b.Assign(j.u, {{0, j.m - 1}}, 0.5 * j.u(0)); });
    j.b.Assign(j.u, {{0, 0}}, j.u(0) + 1.0);
  });
  const ArrayHandle v = j.b.Array("v", {j.m}).CopyIn().CopyOut();
  j.b.Repeat(j.t, {j.u, v}, [&] { j.b.Swap(j.u, v); });
  const Graph graph = UnrollTime(j.b.Finish(), 2);
  CHECK(graph::Verify(graph) == Texts{});
  CHECK(Shapes(graph) == Texts{"T: 3", "T: 0"});
  PlanAndCheck(graph, {{5, 1}, {5, 2}, {5, 3}, {5, 4}});
}

TEST_CASE("long programs do not grow without limit") {
  const auto body_size = [](int operators, int steps) {
    Jacobi j;
    j.b.Repeat(j.t, {j.u}, [&] {
      for (int k = 0; k < operators; ++k) j.b.Assign(j.u, {{0, j.m - 1}}, 0.5 * j.u(0));
    });
    const Graph graph = UnrollTime(j.b.Finish(), steps);
    return BodySize(graph, Loops(graph).front());
  };
  const auto limit = static_cast<int>(passes::kMaxUnrolledOperators);
  CHECK(body_size(limit / 2, 2) == passes::kMaxUnrolledOperators);
  CHECK(body_size(limit / 2 + 1, 2) == passes::kMaxUnrolledOperators / 2 + 1);
  CHECK(body_size(1, limit) == passes::kMaxUnrolledOperators);
  CHECK(body_size(1, 2'000'000'000) == 1);
  // All loops together.
  Jacobi j;
  for (int k = 0; k < 3; ++k) {
    j.b.Repeat(j.t, {j.u}, [&] { j.b.Assign(j.u, {{0, j.m - 1}}, 0.5 * j.u(0)); });
  }
  const Graph graph = UnrollTime(j.b.Finish(), limit / 2);
  CHECK(Shapes(graph).size() == 5);
}

TEST_CASE("accumulation groups of different copies are different") {
  Jacobi j;
  j.b.Repeat(j.t, {j.u}, [&] {
    for (int k = 0; k < 2; ++k) {
      const graph::NodeId node = j.b.Assign(j.u, {{0, j.m - 1}}, 0.5 * j.u(0));
      auto& op = std::get<Operator>(j.b.graph().nodes[node]);
      op.call = op.group = 0;
    }
  });
  const Graph graph = UnrollTime(j.b.Finish(), 2);
  std::vector<int> groups;
  for (const graph::NodeId node : graph.regions[Loops(graph).front().body].nodes) {
    groups.push_back(std::get<Operator>(graph.nodes[node]).group);
  }
  REQUIRE(groups.size() == 4);
  CHECK(groups[0] == groups[1]);
  CHECK(groups[2] == groups[3]);
  CHECK(groups[0] != groups[2]);
}

const std::vector<graph::ParameterValues> kSizes = {{7, 1}, {7, 2}, {7, 3}, {8, 4}, {1, 5},
                                                    {9, 6}, {2, 7}, {6, 9}, {6, 12}};

/// The main loop and the one for the rest.
std::vector<plan::Repeat> BothLoops(const plan::Plan& plan) {
  std::vector<plan::Repeat> loops;
  for (const plan::Step& step : plan.steps) {
    if (const auto* repeat = std::get_if<plan::Repeat>(&step)) loops.push_back(*repeat);
  }
  REQUIRE(loops.size() == 2);
  return loops;
}

int Copies(const std::vector<plan::Step>& steps) {
  return Count<plan::CopyOutside>(steps) + Count<plan::CopyAll>(steps);
}

TEST_CASE("one array needs one alternate however often its body is repeated") {
  for (const int steps : {2, 3, 4, 5}) {
    Jacobi j;
    const plan::Plan plan = PlanAndCheck(UnrollTime(j.Repeated(j.t - 1), steps), kSizes);
    INFO(plan::Print(plan));
    CHECK(plan.buffers.size() == 2);
    const std::vector<plan::Repeat> loops = BothLoops(plan);
    CHECK(loops[0].body.size() == static_cast<std::size_t>(steps));
    CHECK(Copies(loops[0].body) == 0);
    CHECK(loops[0].rotation.size() == (steps % 2 == 0 ? 0U : 2U));
    CHECK(Copies(loops[1].body) == 0);
    CHECK(Count<plan::CopyAll>(plan.steps) == 0);
  }
}

TEST_CASE("swapped arrays need nothing more, whatever the number of steps") {
  for (const int steps : {2, 3, 4, 5}) {
    GraphBuilder b({"k", "j", "i"});
    const auto m = b.Parameter("M");
    const auto t = b.Parameter("T");
    const auto u = b.Array("u", {m, m, m}).CopyIn().CopyOut();
    const auto v = b.Array("v", {m, m, m}).CopyIn();
    b.Repeat(t - 1, {u, v}, [&] {
      b.Assign(v, {{1, m - 2}, {1, m - 2}, {1, m - 2}},
               0.5 * (u(0, 0, 0) + 0.125 * (u(-1, 0, 0) + u(1, 0, 0) + u(0, 1, 0) + u(0, 0, -1))));
      b.Swap(u, v);
    });
    const plan::Plan plan = PlanAndCheck(UnrollTime(b.Finish(), steps), kSizes);
    INFO(plan::Print(plan));
    CHECK(plan.buffers.size() == 2);
    CHECK(Copies(plan.steps) == 0);
    CHECK(BothLoops(plan)[0].body.size() == static_cast<std::size_t>(steps));
    CHECK(BothLoops(plan)[0].rotation.size() == (steps % 2 == 0 ? 0U : 2U));
  }
}

TEST_CASE("three arrays in a row rotate by the number of steps") {
  for (const int steps : {2, 3, 4}) {
    GraphBuilder b({"i"});
    const auto m = b.Parameter("M");
    const auto t = b.Parameter("T");
    const auto past = b.Array("past", {m}).CopyIn().CopyOut();
    const auto now = b.Array("now", {m}).CopyIn().CopyOut();
    const auto next = b.Array("next", {m}).CopyIn().CopyOut();
    b.Repeat(t - 1, {past, now, next}, [&] {
      b.Assign(next, {{1, m - 2}}, 0.5 * (now(-1) + now(1)) - past(0));
      b.Swap(past, now);
      b.Swap(now, next);
    });
    const plan::Plan plan = PlanAndCheck(UnrollTime(b.Finish(), steps), kSizes);
    INFO(plan::Print(plan));
    CHECK(plan.buffers.size() == 3);
    CHECK(Copies(plan.steps) == 0);
    CHECK(BothLoops(plan)[0].rotation.size() == (steps % 3 == 0 ? 0U : 3U));
  }
}

TEST_CASE("what only the last step's value is needed of is computed once") {
  Jacobi j;
  const ArrayHandle norm = j.b.Array("norm", {j.m}).CopyIn().CopyOut();
  j.b.Repeat(j.t, {j.u, norm}, [&] {
    j.b.Assign(j.u, {{1, j.m - 2}}, 0.5 * (j.u(-1) + j.u(1)));
    j.b.Assign(norm, {{0, j.m - 1}}, j.u(0) * j.u(0));
  });
  const Graph graph = passes::EliminateDead(UnrollTime(j.b.Finish(), 3));
  CHECK(graph::Verify(graph) == Texts{});
  CHECK(Shapes(graph) == Texts{"floor((T)/3): 4", "(T) mod 3: 2"});
}

TEST_CASE("copies of a body know which turn they are") {
  GraphBuilder b({"i"});
  const LinearForm m = b.Parameter("M"), count = b.Parameter("T");
  const ArrayHandle u = b.Array("u", {m}).CopyIn().CopyOut();
  const ArrayHandle source = b.Array("source", {count}).CopyIn();
  b.Repeat("t", count, {u}, [&](const LinearForm& t) {
    const auto turn = b.Convert(b.ParameterValue(t), ScalarType::Double);
    b.Assign(u, {{0, m - 1}}, u(0) + b.Read(source, {graph::Fixed(t)}) * turn);
  });
  const Graph before = b.Finish();
  const Graph graph = UnrollTime(before, 3);
  REQUIRE(graph::Verify(graph) == Texts{});
  const std::string text = graph::Print(graph);
  for (const char* const part : {"loop t : floor((T)/3)\n", "loop t : (T) mod 3\n",
                                 "source.0[3*t]*double(3*t)", "source.0[3*t + 1]*double(3*t + 1)",
                                 "source.0[3*t + 2]*double(3*t + 2)", "source.0[t]*double(t)"}) {
    INFO(part << " in\n" << text);
    CHECK(text.find(part) != std::string::npos);
  }
  for (const std::int64_t turns : {1, 2, 3, 4, 7}) {
    const graph::ParameterValues values = {5, turns, 1};
    const auto inputs = SomeInputs(before, values);
    CHECK(graph::Interpret(graph, values, inputs).outputs ==
          graph::Interpret(before, values, inputs).outputs);
  }
}

TEST_CASE("what an earlier turn left where this one reads is needed") {
  // history[t] is what the turn before has written.
  GraphBuilder b({"i"});
  const LinearForm count = b.Parameter("T");
  const ArrayHandle u = b.Array("u", {3}).CopyIn().CopyOut();
  const ArrayHandle history = b.Array("history", {count + 1}).CopyIn();
  b.Repeat("t", count, {u, history}, [&](const LinearForm& t) {
    b.Assign(u, {{0, 2}}, u(0) + b.Read(history, {graph::Fixed(t)}));
    b.AssignTo(history, {}, {}, {graph::Fixed(t + 1)},
               b.Read(u, {graph::Fixed(LinearForm::Constant(1))}));
  });
  const Graph before = b.Finish();
  const graph::ParameterValues values = {5, 1};
  const auto inputs = SomeInputs(before, values);
  const auto want = graph::Interpret(before, values, inputs).outputs;
  CHECK(graph::Interpret(passes::EliminateDead(before), values, inputs).outputs == want);
  const Graph unrolled = passes::EliminateDead(UnrollTime(before, 2));
  CHECK(graph::Verify(unrolled) == Texts{});
  CHECK(graph::Interpret(unrolled, values, inputs).outputs == want);
}

graph::ParameterValues ParametersOf(const Graph& graph,
                                    const std::map<std::string, std::int64_t>& sizes,
                                    std::int64_t turns) {
  graph::ParameterValues values;
  for (const graph::Parameter& parameter : graph.parameters) {
    const bool is_count = parameter.name == "T";
    const std::int64_t size = parameter.turn ? 1 : sizes.at(is_count ? "T" : parameter.name);
    values.push_back(is_count ? turns : std::min<std::int64_t>(size, 9));
  }
  return values;
}

/// Interprets both, and the plan of the second, with these parameters.
void CheckSame(const Graph& before, const Graph& after, const plan::Plan& plan,
               const graph::ParameterValues& parameters) {
  const auto inputs = SomeInputs(before, parameters);
  const graph::InterpretResult want = graph::Interpret(before, parameters, inputs);
  const graph::InterpretResult got = graph::Interpret(after, parameters, inputs);
  REQUIRE(got.error == want.error);
  REQUIRE(got.defined == want.defined);
  for (std::size_t k = 0; k < want.outputs.size(); ++k) {
    std::size_t different = 0;
    for (std::size_t i = 0; i < graph::SizeOf(want.outputs[k]); ++i) {
      const double a = graph::ElementAsDouble(want.outputs[k], i);
      const double b = graph::ElementAsDouble(got.outputs[k], i);
      if (a != b && !(std::isnan(a) && std::isnan(b))) ++different;
    }
    REQUIRE(different == 0);
  }
  REQUIRE(CheckPlan(plan, parameters, inputs) == "");
}

TEST_CASE("generated programs mean the same with the bodies of their loops repeated") {
  constexpr std::uint64_t kPrograms = 200;
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const TestProgram program = GenerateProgram(seed);
    INFO(program.text);
    const SourceFile source("program.idsl", program.text);
    DiagnosticSink sink;
    const std::optional<Graph> before = driver::CompileToGraph(source, {}, sink);
    REQUIRE(before.has_value());
    for (const int steps : {2, 3, 4}) {
      const Graph unrolled = UnrollTime(*before, steps);
      INFO(graph::Print(unrolled));
      REQUIRE(graph::Verify(unrolled) == Texts{});
      if (unrolled.nodes.size() == before->nodes.size()) continue;
      ++changed;
      const Graph after = passes::EliminateDead(unrolled);
      REQUIRE(graph::Verify(after) == Texts{});
      const plan::Plan plan = plan::PlanKernels(after, {});
      for (const std::int64_t turns : {1, steps - 1, steps, steps + 1, 2 * steps + 1}) {
        const auto parameters = ParametersOf(*before, program.sizes.front(), turns);
        CheckSame(*before, after, plan, parameters);
        const driver::Work want = driver::CountWork(*before, parameters);
        const driver::Work got = driver::CountWork(unrolled, parameters);
        REQUIRE(got.points == want.points);
        REQUIRE(got.flops == want.flops);
        REQUIRE(got.bytes == want.bytes);
      }
    }
  }
  CHECK(changed > kPrograms / 2);
}

TEST_CASE("a negative count is the same error") {
  Jacobi j;
  const Graph before = j.Repeated(j.t - 5);
  const Graph after = UnrollTime(before, 2);
  const auto inputs = SomeInputs(before, {7, 3});
  const std::string error = graph::Interpret(before, {7, 3}, inputs).error;
  CHECK(error == "the iteration count T - 5 is -2, but must not be negative");
  CHECK(graph::Interpret(after, {7, 3}, inputs).error == error);
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("the code of repeated bodies counts the turns and checks the count once") {
  Jacobi j;
  driver::CodegenOptions options;
  options.function = "test";
  const auto emit = [&](const Graph& graph) {
    return EmitCpp(plan::PlanKernels(graph, {}), options);
  };
  const std::string text = emit(UnrollTime(j.Repeated(j.t - 1), 2));
  CHECK(Contains(text, "for (long long step = 0; step < (T - 1) / 2; ++step) {"));
  CHECK(Contains(text, " < (T - 1) % 2; "));
  const std::string fixed = emit(UnrollTime(Jacobi().Repeated(LinearForm::Constant(11)), 4));
  CHECK(Contains(fixed, "step < 2; ++step)"));
  CHECK(Contains(fixed, " < 3; "));
  const Graph late = Jacobi().Repeated(j.t - 5);
  const auto checks = [&](const std::string& code) {
    int count = 0;
    for (std::size_t at = code.find("T - 5 < 0"); at != std::string::npos; ++count) {
      at = code.find("T - 5 < 0", at + 1);
    }
    return count;
  };
  CHECK(checks(emit(late)) > 0);
  CHECK(checks(emit(UnrollTime(late, 2))) == checks(emit(late)));
}

TEST_CASE("examples with loops compute the same when compiled with several steps at a time") {
  std::vector<TestProgram> programs;
  for (TestProgram& program : Examples()) {
    if (!Contains(program.text, "iterate")) continue;
    for (const int steps : {2, 3}) {
      TestProgram& one = programs.emplace_back(program);
      one.name = fmt::format("{}_{}", program.name, steps);
      one.time_tile = steps;
    }
  }
  REQUIRE(programs.size() >= 4);
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  const std::string failures = Describe(RunDifferential(programs, options));
  INFO(failures);
  CHECK(failures.empty());
}

}  // namespace
}  // namespace stencilgen::testing
