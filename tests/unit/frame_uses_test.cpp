#include "plan/frame_uses.h"

#include <fmt/format.h>

#include "graph/interpret.h"
#include "graph/print.h"
#include "passes/eliminate_dead.h"
#include "passes/unroll_time.h"
#include "plan_test_tools.h"

// Time loops that write one array from another and swap them: what is stored of the last step but
// one, of which nobody reads more than the frame.
namespace stencilgen::testing {
namespace {

using graph::Graph;
using graph::LinearForm;
using graph::VersionId;
using plan::CopyAll;
using plan::CopyOutside;
using plan::Plan;

/// Arrays of M x M elements and T - 1 turns.
struct Program {
  GraphBuilder b{{"j", "i"}};
  LinearForm m = b.Parameter("M"), t = b.Parameter("T");

  ArrayHandle Field(const std::string& name) { return b.Array(name, {m, m}).CopyIn(); }
  void Step(const ArrayHandle& to, const Ex& value) {
    b.Assign(to, {{1, m - 2}, {1, m - 2}}, value);
  }
};

Ex Around(const ArrayHandle& u) {
  return u(0, -1) + u(0, 1) + u(-1, 0) + u(1, 0);
}

Graph Unrolled(Graph graph, int steps) {
  return passes::EliminateDead(passes::UnrollTime(std::move(graph), steps));
}

/// Everything that may share a tile does.
plan::Schedule Tiled(std::array<int, 3> block = {16, 16, 1}) {
  plan::Schedule schedule;
  schedule.block = block;
  schedule.shared_memory = true;
  schedule.fusion = plan::Fusion::Max;
  return schedule;
}

/// Checks that plan and program give the same, in sizes small and odd, for no turn and some.
void CheckRuns(const Graph& program, const Plan& plan, int steps) {
  INFO(graph::Print(program) << graph::Print(plan.graph) << plan::Print(plan));
  CHECK(graph::Verify(plan.graph) == std::vector<std::string>{});
  for (const std::int64_t size : {1, 2, 3, 4, 5, 9}) {
    for (std::int64_t turns = 0; turns <= 2 * steps + 1; ++turns) {
      const graph::ParameterValues sizes = {size, turns + 1};
      const auto inputs = SomeInputs(program, sizes);
      INFO("M = " << size << ", T - 1 = " << turns);
      REQUIRE(CheckPlan(plan, sizes, inputs) == "");
      const graph::InterpretResult want = graph::Interpret(program, sizes, inputs);
      const graph::InterpretResult got = graph::Interpret(plan.graph, sizes, inputs);
      REQUIRE(got.error == want.error);
      REQUIRE(got.outputs == want.outputs);
      REQUIRE(got.defined == want.defined);
    }
  }
}

Plan PlanSteps(const Graph& program, int steps, const plan::Schedule& schedule = Tiled()) {
  Plan plan = plan::PlanKernels(Unrolled(program, steps), schedule);
  CheckRuns(program, plan, steps);
  return plan;
}

/// The main loop, of whole time tiles.
const plan::Repeat& MainLoop(const Plan& plan) {
  for (const plan::Step& step : plan.steps) {
    const auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat != nullptr && !repeat->turns.remainder) return *repeat;
  }
  throw std::logic_error("no loop");
}

int Copies(const std::vector<plan::Step>& steps) {
  return Count<CopyOutside>(steps) + Count<CopyAll>(steps);
}

/// Versions that a turn of the main loop stores.
std::size_t StoredIn(const Plan& plan) {
  std::size_t stored = 0;
  for (const plan::Step& step : MainLoop(plan).body) {
    const auto* launch = std::get_if<plan::Launch>(&step);
    if (launch != nullptr) stored += StoredVersions(plan, plan.kernels[launch->kernel]).size();
  }
  return stored;
}

/// One array from the other, then both change places; T - 1 times.
void SwapSteps(Program& p, const ArrayHandle& u, const ArrayHandle& v) {
  p.b.Repeat(p.t - 1, {u, v}, [&] {
    p.Step(v, 0.25 * Around(u));
    p.b.Swap(u, v);
  });
}

/// A program of such a loop alone.
Graph Swapped(bool v_out = false, bool u_out = true) {
  Program p;
  ArrayHandle u = p.Field("u");
  ArrayHandle v = p.Field("v");
  if (u_out) u.CopyOut();
  if (v_out) v.CopyOut();
  SwapSteps(p, u, v);
  return p.b.Finish();
}

TEST_CASE("a swap of two arrays stores the last step of a time tile alone") {
  const Graph program = Swapped();
  for (int steps : {2, 3, 4, 5}) {
    INFO(steps);
    const Plan plan = PlanSteps(program, steps);
    CHECK(StoredIn(plan) == 1);
    CHECK(Copies(MainLoop(plan).body) == 0);
    // An even number of steps ends where it began, in a buffer that neighbours still read.
    CHECK(plan.buffers.size() == (steps % 2 == 0 ? 3U : 2U));
  }
}

TEST_CASE("what is updated in place and what is swapped store the same") {
  Program p;
  const ArrayHandle u = p.Field("u").CopyOut();
  p.b.Repeat(p.t - 1, {u}, [&] { p.Step(u, 0.25 * Around(u)); });
  const Graph program = p.b.Finish();
  for (int steps : {1, 2, 3, 4}) {
    const Plan in_place = PlanSteps(program, steps);
    const Plan swapped = PlanSteps(Swapped(), steps);
    CHECK(StoredIn(in_place) == StoredIn(swapped));
    CHECK(in_place.kernels.size() == swapped.kernels.size());
    CHECK(Copies(MainLoop(in_place).body) == Copies(MainLoop(swapped).body));
  }
}

TEST_CASE("an output is stored whatever it was swapped with") {
  for (int steps : {2, 3}) {
    CHECK(StoredIn(PlanSteps(Swapped(true), steps)) == 2);
    CHECK(StoredIn(PlanSteps(Swapped(true, false), steps)) == 2);
  }
}

TEST_CASE("what is read after the loop is stored") {
  Program p;
  const ArrayHandle u = p.Field("u").CopyOut();
  const ArrayHandle v = p.Field("v");
  SwapSteps(p, u, v);
  p.Step(u, u(0, 0) - v(0, 0));
  CHECK(StoredIn(PlanSteps(p.b.Finish(), 2)) == 2);
}

TEST_CASE("of what is read around what is written the frame alone is needed") {
  Program p;
  const ArrayHandle u = p.Field("u").CopyOut();
  const ArrayHandle v = p.Field("v");
  SwapSteps(p, u, v);
  // The first row, which no step writes.
  p.b.Assign(u, {{0, 0}, {0, p.m - 1}}, u(0, 0) - v(0, 0));
  CHECK(StoredIn(PlanSteps(p.b.Finish(), 2)) == 1);
}

TEST_CASE("three time levels store the last two steps") {
  Program p;
  const ArrayHandle past = p.Field("past");
  const ArrayHandle now = p.Field("now").CopyOut();
  const ArrayHandle next = p.Field("next");
  p.b.Repeat(p.t - 1, {past, now, next}, [&] {
    p.Step(next, 0.5 * Around(now) - past(0, 0));
    p.b.Swap(past, now);
    p.b.Swap(now, next);
  });
  const Graph program = p.b.Finish();
  for (int steps : {1, 2, 3, 4, 5}) {
    INFO(steps);
    const Plan plan = PlanSteps(program, steps);
    CHECK(StoredIn(plan) == (steps == 1 ? 1U : 2U));
    CHECK(Copies(MainLoop(plan).body) == 0);
  }
}

TEST_CASE("each of several fields is stored once a time tile") {
  Program p;
  const ArrayHandle a = p.Field("a").CopyOut();
  const ArrayHandle b = p.Field("b").CopyOut();
  const ArrayHandle a_next = p.Field("a_next");
  const ArrayHandle b_next = p.Field("b_next");
  p.b.Repeat(p.t - 1, {a, b, a_next, b_next}, [&] {
    p.Step(a_next, a(0, 0) + 0.5 * (b(0, -1) - b(0, 0)));
    p.Step(b_next, b(0, 0) + 0.5 * (a_next(1, 0) - a_next(0, 0)));
    p.b.Swap(a, a_next);
    p.b.Swap(b, b_next);
  });
  const Graph program = p.b.Finish();
  for (int steps : {2, 3, 4}) {
    INFO(steps);
    const Plan plan = PlanSteps(program, steps);
    CHECK(StoredIn(plan) == 2);
    CHECK(Copies(MainLoop(plan).body) == 0);
  }
}

TEST_CASE("steps and walls of a swapped array are stored once a time tile") {
  Program p;
  const ArrayHandle u = p.Field("u").CopyOut();
  const ArrayHandle v = p.Field("v");
  p.b.Repeat(p.t - 1, {u, v}, [&] {
    p.Step(v, 0.25 * Around(u));
    p.b.Assign(v, {{0, 0}, {0, p.m - 1}}, 0.5 * v(1, 0));
    p.b.Swap(u, v);
  });
  const Graph program = p.b.Finish();
  for (int steps : {2, 3}) CHECK(StoredIn(PlanSteps(program, steps)) == 1);
}

TEST_CASE("a time tile of several kernels stores what goes from one to the next") {
  plan::Schedule schedule = Tiled();
  schedule.most_operators = 2;
  const Graph program = Swapped();
  for (int steps : {3, 4, 5, 6}) {
    INFO(steps);
    CHECK(StoredIn(PlanSteps(program, steps, schedule)) == static_cast<std::size_t>(steps + 1) / 2);
  }
}

TEST_CASE("a temporary array that is read around what is written is not stored") {
  Program p;
  const ArrayHandle u = p.Field("u").CopyOut();
  const ArrayHandle v = p.Field("v");
  const ArrayHandle flux = p.Field("flux");
  p.b.Repeat(p.t - 1, {u, v, flux}, [&] {
    p.Step(flux, u(0, 1) - u(0, 0));
    p.Step(v, u(0, 0) + 0.25 * (flux(0, 0) - flux(0, -1)));
    p.b.Swap(u, v);
  });
  const Graph program = p.b.Finish();
  for (int steps : {1, 2, 3}) CHECK(StoredIn(PlanSteps(program, steps)) == 1);
}

TEST_CASE("frames of statements without a loop") {
  Program p;
  const ArrayHandle u = p.Field("u").CopyOut();
  const ArrayHandle v = p.Field("v");
  for (int turn = 0; turn < 4; ++turn) {
    p.Step(v, 0.25 * Around(u));
    p.b.Swap(u, v);
  }
  const Graph program = p.b.Finish();
  plan::Schedule schedule = Tiled();
  schedule.most_operators = 2;
  const Plan plan = plan::PlanKernels(program, schedule);
  CheckRuns(program, plan, 0);
  REQUIRE(plan.kernels.size() == 2);
  for (const plan::Kernel& kernel : plan.kernels) CHECK(StoredVersions(plan, kernel).size() == 1);
}

TEST_CASE("kernels that are no tiles keep every array") {
  const Graph program = Swapped();
  for (int steps : {1, 2, 3}) {
    const Plan plan = PlanSteps(program, steps, {});
    CHECK(plan.buffers.size() == 2);
    CHECK(Copies(plan.steps) == 0);
  }
}

TEST_CASE("which results are needed for their frames alone") {
  const Graph graph = Unrolled(Swapped(), 2);
  const std::vector<bool> frame_only = plan::FindFrameOnly(graph);
  int count = 0;
  for (const VersionId version : graph.versions.Ids()) {
    if (!frame_only[version.index]) continue;
    ++count;
    const graph::Version& info = graph.versions[version];
    CHECK(info.def == graph::DefKind::Operator);
    CHECK(graph::VersionName(graph, version) == "v.2");
  }
  // The remaining turn's own result is the output.
  CHECK(count == 1);
}

TEST_CASE("a plan that overwrites what a tile still reads is found wrong") {
  const Graph program = Swapped();
  Plan plan = PlanSteps(program, 3);
  const auto& launch = std::get<plan::Launch>(MainLoop(plan).body.front());
  plan::Kernel& kernel = plan.kernels[launch.kernel];
  REQUIRE(kernel.tile->stores.size() == 1);
  SECTION("the frame as well") {
    kernel.tile->stores.front().whole = true;
    CHECK(plan::Verify(plan) != std::vector<std::string>{});
  }
  SECTION("a plane that is loaded") {
    const auto& last = std::get<graph::Operator>(plan.graph.nodes[kernel.ops.back()]);
    const auto& first = std::get<graph::Operator>(plan.graph.nodes[kernel.ops.front()]);
    std::vector<graph::ExprId> reads = graph::Accesses(plan.graph, first);
    const VersionId read = std::get<graph::Access>(plan.graph.exprs[reads.front()].node).version;
    plan.buffer_of[last.result.index] = plan.buffer_of[read.index];
    CHECK(plan::Verify(plan) != std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace stencilgen::testing
