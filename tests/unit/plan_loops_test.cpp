#include <fmt/format.h>

#include "plan_test_tools.h"

// Time loops: what rotates, what is copied, and how often.
namespace stencilgen::testing {
namespace {

using graph::LinearForm;
using plan::CopyAll;
using plan::CopyOutside;
using plan::Plan;
using plan::Repeat;

const Repeat& OnlyLoop(const std::vector<plan::Step>& steps) {
  const Repeat* found = nullptr;
  for (const plan::Step& step : steps) {
    if (const auto* repeat = std::get_if<Repeat>(&step)) {
      REQUIRE(found == nullptr);
      found = repeat;
    }
  }
  REQUIRE(found != nullptr);
  return *found;
}

const std::vector<graph::ParameterValues> kSizes = {{7, 1}, {7, 2}, {7, 3}, {8, 6}, {1, 4}, {2, 5}};

TEST_CASE("one step of one array: one launch a turn, the frame copied before the loop") {
  GraphBuilder b({"j", "i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m, m}).CopyIn().CopyOut();
  b.Repeat(t - 1, {u}, [&] {
    b.Assign(u, {{1, m - 2}, {1, m - 2}}, 0.5 * (u(0, -1) + u(0, 1) + u(-1, 0) + u(1, 0)));
  });
  const Plan plan = PlanAndCheck(b.Finish(), kSizes);
  CHECK(plan.buffers.size() == 2);
  REQUIRE(plan.steps.size() == 2);
  CHECK(std::holds_alternative<CopyOutside>(plan.steps[0]));
  CHECK(OnlyLoop(plan.steps).body.size() == 1);
  CHECK(OnlyLoop(plan.steps).rotation.size() == 2);
  CHECK(plan.home_written[u.id().index]);
}

TEST_CASE("several steps a turn on the same elements share the two buffers") {
  for (int steps : {2, 3}) {
    GraphBuilder b({"i"});
    const auto m = b.Parameter("M");
    const auto t = b.Parameter("T");
    const auto u = b.Array("u", {m}).CopyIn().CopyOut();
    b.Repeat(t - 1, {u}, [&] {
      for (int k = 0; k < steps; ++k) b.Assign(u, {{1, m - 2}}, u(-1) + u(1));
      b.Assign(u, {{1, m - 2}}, 0.25 * u(0));
    });
    const Plan plan = PlanAndCheck(b.Finish(), kSizes);
    CHECK(plan.buffers.size() == 2);
    const Repeat& loop = OnlyLoop(plan.steps);
    CHECK(loop.body.size() == static_cast<std::size_t>(steps) + 1);
    CHECK(loop.rotation.size() == (steps % 2 == 0 ? 0U : 2U));
  }
}

TEST_CASE("two arrays written in turn need no other buffer") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyIn();
  b.Repeat(t - 1, {u, v}, [&] {
    b.Assign(v, {{1, m - 2}}, u(-1) + u(1));
    b.Assign(u, {{1, m - 2}}, 0.25 * (v(-1) + v(1)));
  });
  const Plan plan = PlanAndCheck(b.Finish(), kSizes);
  CHECK(plan.buffers.size() == 2);
  REQUIRE(plan.steps.size() == 1);
  CHECK(OnlyLoop(plan.steps).rotation.empty());
}

TEST_CASE("swapping in a loop rotates two homes") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyIn().CopyOut();
  b.Repeat(t - 1, {u, v}, [&] {
    b.Assign(v, {{1, m - 2}}, 0.5 * (u(-1) + u(1)));
    b.Swap(u, v);
  });
  const Plan plan = PlanAndCheck(b.Finish(), kSizes);
  CHECK(plan.buffers.size() == 2);
  REQUIRE(plan.steps.size() == 1);
  CHECK(OnlyLoop(plan.steps).body.size() == 1);
  CHECK(OnlyLoop(plan.steps).rotation.size() == 2);
  CHECK(plan.home_written == std::vector<bool>{true, true});
}

TEST_CASE("three arrays rotate as one row") {
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
  const Plan plan = PlanAndCheck(b.Finish(), kSizes);
  CHECK(plan.buffers.size() == 3);
  CHECK(Count<CopyOutside>(plan.steps) + Count<CopyAll>(plan.steps) == 0);
  CHECK(OnlyLoop(plan.steps).rotation.size() == 3);
}

TEST_CASE("steps on different elements copy in each turn") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  b.Repeat(t - 1, {u}, [&] {
    b.Assign(u, {{0, 0}}, 0.5 * u(0));
    b.Assign(u, {{1, m - 2}}, 0.5 * (u(-1) + u(1)));
  });
  const Plan plan = PlanAndCheck(b.Finish(), kSizes);
  CHECK(plan.buffers.size() == 2);
  CHECK(Count<CopyOutside>(OnlyLoop(plan.steps).body) == 1);
}

TEST_CASE("what the loop starts from is kept where it is read afterwards") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyOut();
  const Ex before = u(0);
  b.Repeat(t - 1, {u}, [&] { b.Assign(u, {{1, m - 2}}, u(-1) + u(1)); });
  b.Assign(v, {{0, m - 1}}, before + u(0));
  const Plan plan = PlanAndCheck(b.Finish(), kSizes);
  CHECK(Count<CopyAll>(plan.steps) == 1);
}

TEST_CASE("what the loop starts from is kept where the loop reads it") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const Ex start = u(0);
  b.Repeat(t - 1, {u}, [&] { b.Assign(u, {{1, m - 2}}, 0.5 * (u(-1) + u(1)) + start); });
  PlanAndCheck(b.Finish(), kSizes);
}

TEST_CASE("scratch of a loop does not disturb the frame of its rotating arrays") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyIn().CopyOut();
  const auto s = b.Array("s_1", {m}).Local();
  b.Repeat(t - 1, {u, v}, [&] {
    b.Assign(u, {{1, m - 2}}, 0.5 * (u(-1) + u(1)));
    b.Assign(s, {{0, m - 1}}, 3.0 * v(0));
    b.Assign(v, {{2, m - 2}}, s(-1) + u(1));
  });
  PlanAndCheck(b.Finish(), kSizes);
}

TEST_CASE("nested loops copy the frame before the inner loop") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  b.Repeat(t - 1, {u}, [&] {
    b.Repeat(LinearForm::Constant(3), {u}, [&] {
      b.Assign(u, {{1, m - 2}}, 0.5 * (u(-1) + u(1)));
    });
    b.Assign(u, {{0, 0}}, 0.75 * u(0));
  });
  const Plan plan = PlanAndCheck(b.Finish(), kSizes);
  CHECK(plan.buffers.size() == 2);
  const Repeat& outer = OnlyLoop(plan.steps);
  REQUIRE(outer.body.size() == 3);
  CHECK(std::holds_alternative<CopyOutside>(outer.body[0]));
  CHECK(OnlyLoop(outer.body).body.size() == 1);
  CHECK(OnlyLoop(outer.body).rotation.size() == 2);
  CHECK(outer.rotation.empty());
}

TEST_CASE("loops one after the other share an alternate") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  for (int k = 0; k < 3; ++k) {
    b.Repeat(t - 1, {u}, [&] { b.Assign(u, {{1 + k, m - 2}}, 0.5 * (u(-1) + u(1))); });
  }
  const Plan plan = PlanAndCheck(b.Finish(), kSizes);
  CHECK(plan.buffers.size() == 2);
}

TEST_CASE("a scalar carried around a loop") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto a = b.Scalar("a");
  b.Repeat(t - 1, {u, a}, [&] {
    const Ex old = a();
    b.Assign(a, {}, a() * a() + 0.5);
    b.Assign(u, {{0, m - 1}}, u(0) * a() + old);
  });
  b.Assign(u, {{0, m - 1}}, u(0) + a());
  const Plan plan = PlanAndCheck(b.Finish(), kSizes);
  CHECK(plan.scalars.size() == 2);
  CHECK(OnlyLoop(plan.steps).scalar_moves.size() == 1);
}

TEST_CASE("a scalar whose first value is needed after the loop") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto a = b.Scalar("a");
  const Ex first = a();
  b.Repeat(t - 1, {a}, [&] { b.Assign(a, {}, a() * a() + 0.5); });
  b.Assign(u, {{0, m - 1}}, u(0) * a() + first);
  PlanAndCheck(b.Finish(), kSizes);
}

/// Makes the operator keep `background` where it does not write: passes may make such graphs,
/// though no program does.
void SetBackground(GraphBuilder& b, graph::NodeId node, graph::VersionId background) {
  std::get<graph::Operator>(b.graph().nodes[node]).background = background;
}

TEST_CASE("a second version over a rotating array leaves its frame alone") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyIn().CopyOut();
  b.Repeat(t - 1, {u, v}, [&] {
    const graph::VersionId entry = b.Present(u);
    const Ex old = u(0);
    b.Assign(u, {{1, m - 2}}, 0.5 * (u(-1) + u(1)));
    SetBackground(b, b.Assign(v, {{0, 0}}, old + v(0)), entry);
  });
  PlanAndCheck(b.Finish(), kSizes);
}

TEST_CASE("what free buffers contain before a loop is not trusted in it") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyIn().CopyOut();
  const auto first = b.Array("first", {m}).Local();
  const auto second = b.Array("second", {m}).Local();
  b.Assign(u, {{1, m - 2}}, 0.5 * (u(-1) + u(1)));
  b.Repeat(t - 1, {v}, [&] {
    SetBackground(b, b.Assign(first, {{1, m - 2}}, 0.25 * (u(-1) + u(1))), b.Present(u));
    b.Assign(v, {{0, m - 1}}, v(0) + first(0));
    b.Assign(second, {{0, m - 1}}, 3.0 * v(0));
    b.Assign(v, {{0, m - 1}}, v(0) - 0.5 * second(0));
  });
  PlanAndCheck(b.Finish(), kSizes);
}

TEST_CASE("planning is linear in the operators") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  std::vector<ArrayHandle> arrays;
  for (int k = 0; k < 1000; ++k) {
    arrays.push_back(b.Array(fmt::format("u{}", k), {m}).CopyIn().CopyOut());
  }
  for (int k = 0; k < 10000; ++k) {
    const ArrayHandle& u = arrays[static_cast<std::size_t>(k) % 1000];
    b.Assign(u, {{1, m - 2}}, u(-1) + arrays[static_cast<std::size_t>(k * 7) % 1000](1));
  }
  const Plan plan = plan::PlanKernels(b.Finish(), {});
  CHECK(plan.kernels.size() == 10000);
  CHECK(plan.buffers.size() == 1001);  // one alternate serves all arrays
  CHECK(plan::Verify(plan) == std::vector<std::string>{});
}

}  // namespace
}  // namespace stencilgen::testing
