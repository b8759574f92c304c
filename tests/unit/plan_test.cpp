#include <fmt/format.h>

#include "plan_test_tools.h"

// Straight-line programs: which buffers operators write, and what is copied.
namespace stencilgen::testing {
namespace {

using graph::Graph;
using plan::CopyAll;
using plan::CopyOutside;
using plan::Plan;
using Names = std::vector<std::string>;

TEST_CASE("an operator that reads other arrays writes its own home") {
  GraphBuilder b({"j", "i"});
  const auto m = b.Parameter("M");
  const auto in = b.Array("in", {m, m}).CopyIn();
  const auto out = b.Array("out", {m, m}).CopyOut();
  b.Assign(out, {{1, m - 2}, {1, m - 2}}, 0.5 * (in(0, -1) + in(1, 0)));
  const Plan plan = PlanAndCheck(b.Finish(), {{7}, {2}});
  CHECK(BufferNames(plan) == Names{"in", "out"});
  CHECK(plan.steps.size() == 1);
  CHECK(plan.results == std::vector<plan::BufferId>{{1}});
  // The frame of `out` is what the caller had there.
  CHECK(plan.needs_contents == std::vector<bool>{true, true});
  CHECK(plan.home_written == std::vector<bool>{false, true});
}

TEST_CASE("contents that are overwritten everywhere are not needed") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto in = b.Array("in", {m}).CopyIn();
  const auto out = b.Array("out", {m}).CopyOut();
  b.Assign(out, {{0, m - 1}}, 2.0 * in(0));
  const Plan plan = PlanAndCheck(b.Finish(), {{5}});
  CHECK(plan.needs_contents == std::vector<bool>{true, false});
}

TEST_CASE("what the first turn of a loop overwrites needs no contents") {
  const auto needs = [](const graph::LinearForm& fewer, bool reads) {
    GraphBuilder b({"i"});
    const auto m = b.Parameter("M");
    const auto in = b.Array("in", {m}).CopyIn();
    const auto out = b.Array("out", {m}).CopyOut();
    b.Repeat(b.Parameter("T") - fewer.constant, {in, out}, [&] {
      b.Assign(in, {{0, m - 1}}, reads ? 0.5 * in(0) + out(0) : 0.5 * in(0));
      b.Assign(out, {{0, m - 1}}, 2.0 * in(0));
    });
    return PlanAndCheck(b.Finish(), {{5, 3}}).needs_contents;
  };
  CHECK(needs({}, false) == std::vector<bool>{true, false});
  CHECK(needs({}, true) == std::vector<bool>{true, true});
  // There may be no turn.
  CHECK(needs(graph::LinearForm::Constant(1), false) == std::vector<bool>{true, true});
}

TEST_CASE("pointwise updates are in place") {
  GraphBuilder b({"j", "i"});
  const auto m = b.Parameter("M");
  const auto in = b.Array("in", {m, m}).CopyIn();
  const auto u = b.Array("u", {m, m}).CopyIn().CopyOut();
  b.Assign(u, {{1, m - 2}, {1, m - 2}}, u(0, 0) + in(0, 1));
  b.Assign(u, {{0, m - 1}, {0, 0}}, u(0, 0) * in(0, 0));
  const Plan plan = PlanAndCheck(b.Finish(), {{6}, {1}});
  CHECK(BufferNames(plan) == Names{"in", "u"});
  CHECK(plan.steps.size() == 2);
}

TEST_CASE("an operator that reads its neighbours writes an alternate") {
  GraphBuilder b({"j", "i"});
  const auto m = b.Parameter("M");
  const auto u = b.Array("u", {m, m}).CopyIn().CopyOut();
  b.Assign(u, {{1, m - 2}, {1, m - 2}}, u(0, -1) + u(0, 1));
  const Plan plan = PlanAndCheck(b.Finish(), {{6}, {1}});
  CHECK(BufferNames(plan) == Names{"u", "u_alt"});
  REQUIRE(plan.steps.size() == 2);
  CHECK(std::holds_alternative<CopyOutside>(plan.steps[0]));
  CHECK(plan.results == std::vector<plan::BufferId>{{1}});
}

TEST_CASE("repeated steps swap two buffers and copy the frame once") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  for (int step = 0; step < 5; ++step) b.Assign(u, {{1, m - 2}}, u(-1) + u(1));
  const Plan plan = PlanAndCheck(b.Finish(), {{9}, {2}});
  CHECK(BufferNames(plan) == Names{"u", "u_alt"});
  CHECK(Count<CopyOutside>(plan.steps) == 1);
  CHECK(plan.steps.size() == 6);
}

TEST_CASE("an operator that writes everything needs no copy") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  b.AssignTo(u, {0}, {{0, m - 1}}, {At(0)},
             b.Read(u, {At(0, 1)}, {{graph::BoundaryKind::Wrap, 0}}));
  const Plan plan = PlanAndCheck(b.Finish(), {{9}, {1}});
  CHECK(plan.steps.size() == 1);
  CHECK(BufferNames(plan) == Names{"u", "u_alt"});
}

TEST_CASE("a target that is no box has all its background copied") {
  GraphBuilder b({"j", "i"});
  const auto m = b.Parameter("M");
  const auto u = b.Array("u", {m, m}).CopyIn().CopyOut();
  const auto first = Fixed(graph::LinearForm::Constant(0));
  b.AssignTo(u, {1}, {{0, m - 2}}, {first, At(1)}, b.Read(u, {first, At(1, 1)}));
  b.AssignTo(u, {1}, {{0, m - 1}}, {At(1), At(1)}, 2.0 * b.Read(u, {At(1), Fixed(m - 1)}));
  const Plan plan = PlanAndCheck(b.Finish(), {{6}, {1}});
  CHECK(Count<CopyAll>(plan.steps) == 2);
  CHECK(Count<CopyOutside>(plan.steps) == 0);
}

TEST_CASE("an edge that is set from what no point of it writes is written in place") {
  const auto copies = [](auto&& assign) {
    GraphBuilder b({"j", "i"});
    const auto m = b.Parameter("M");
    const auto n = b.Parameter("N");
    const auto u = b.Array("u", {m, n}).CopyIn().CopyOut();
    assign(b, u, m, n);
    const Plan plan = PlanAndCheck(b.Finish(), {{6, 7}, {1, 4}, {3, 3}});
    CHECK(BufferNames(plan).size() == std::size_t(1 + Count<CopyOutside>(plan.steps)));
    return Count<CopyOutside>(plan.steps);
  };
  CHECK(copies([](auto& b, auto& u, auto m, auto) {
          b.Assign(u, {{0, m - 1}, {0, 0}}, 0.5 * u(0, 1) + u(0, 0));
        }) == 0);
  CHECK(copies([](auto& b, auto& u, auto m, auto n) {
          b.Assign(u, {{1, m - 2}, {n - 1, n - 1}}, u(0, -1) + u(1, -2));
        }) == 0);
  // A ghost column of a periodic field: another element, or for two columns its own.
  CHECK(copies([](auto& b, auto& u, auto m, auto n) {
          b.AssignTo(u, {0, 1}, {{0, m - 1}, {0, 0}}, {At(0), At(1)},
                     b.Read(u, {At(0), Fixed(n - 2)}));
        }) == 0);
  // It moves along the column, too, and with two columns both write what the other reads.
  CHECK(copies([](auto& b, auto& u, auto m, auto n) {
          b.AssignTo(u, {0, 1}, {{0, m - 2}, {0, 0}}, {At(0), At(1)},
                     b.Read(u, {At(0, 1), Fixed(n - 2)}));
        }) == 1);
  CHECK(copies([](auto& b, auto& u, auto m, auto) {
          b.Assign(u, {{0, m - 1}, {0, 1}}, u(0, 1));
        }) == 1);
  CHECK(copies([](auto& b, auto& u, auto m, auto) {
          b.Assign(u, {{1, m - 2}, {0, 0}}, u(1, 1) + u(-1, 0));
        }) == 1);
  // What a boundary mode reads may be any element.
  CHECK(copies([](auto& b, auto& u, auto m, auto) {
          const graph::Boundary clamp = {graph::BoundaryKind::Clamp, 0};
          b.AssignTo(u, {0, 1}, {{0, m - 1}, {0, 0}}, {At(0), At(1)},
                     b.Read(u, {At(0), At(1, 1)}, {clamp, clamp}));
        }) == 1);
}

TEST_CASE("a background that is read later is not overwritten") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyOut();
  const Ex old = u(0);
  b.Assign(u, {{0, 0}}, 3.0 * u(0));
  b.Assign(v, {{0, m - 1}}, old + u(0));
  const Plan plan = PlanAndCheck(b.Finish(), {{6}, {1}});
  CHECK(Count<CopyOutside>(plan.steps) == 1);
}

TEST_CASE("scratch whose lifetimes do not meet is shared") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto in = b.Array("in", {m}).CopyIn();
  const auto out = b.Array("out", {m}).CopyIn().CopyOut();
  for (int k = 0; k < 4; ++k) {
    const auto t = b.Array(fmt::format("t_{}", k), {m}).Local();
    b.Assign(t, {{1, m - 2}}, in(-1) + in(1));
    b.Assign(out, {{2, m - 3}}, out(0) + t(1) * t(-1));
  }
  const Plan plan = PlanAndCheck(b.Finish(), {{9}, {3}});
  CHECK(BufferNames(plan) == Names{"in", "out", "t_0"});
}

TEST_CASE("swapped arrays exchange names, not contents") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyIn().CopyOut();
  b.Swap(u, v);
  b.Assign(u, {{0, 0}}, 2.0 * v(0));
  const Plan plan = PlanAndCheck(b.Finish(), {{4}});
  CHECK(plan.steps.size() == 1);
  CHECK(plan.results == std::vector<plan::BufferId>{{1}, {0}});
}

TEST_CASE("names are unique and none of the program's") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("s0");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto taken = b.Array("u_alt", {m}).CopyIn().CopyOut();
  b.Assign(u, {{1, m - 2}}, u(-1) + taken(1));
  b.Assign(taken, {{0, 0}}, 2.0 * taken(0));
  Graph graph = b.Finish();
  for (graph::Node& node : graph.nodes) std::get<graph::Operator>(node).stencil = "test";
  const Plan plan = PlanAndCheck(graph, {{5}});
  CHECK(BufferNames(plan) == Names{"u", "u_alt", "u_alt_2"});
  // `test` is the program's own name.
  CHECK(plan.kernels[{0}].name == "test_2");
  CHECK(plan.kernels[{1}].name == "test_3");
}

TEST_CASE("a scalar is assigned in place unless its old value is needed") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto a = b.Scalar("a");
  b.Assign(a, {}, 2.0 * a());
  b.Assign(u, {{0, m - 1}}, a() * u(0));
  const Ex old = a();
  b.Assign(a, {}, a() + 1.0);
  b.Assign(u, {{0, m - 1}}, u(0) + old * a());
  const Plan plan = PlanAndCheck(b.Finish(), {{3}});
  REQUIRE(plan.scalars.size() == 2);
  CHECK(plan.scalars[0].first == "a");
  CHECK(plan.scalars[1].first == "a_2");
  CHECK(Count<plan::AssignScalar>(plan.steps) == 2);
}

TEST_CASE("the plan prints as text") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto a = b.Scalar("a");
  b.Repeat(t - 1, {u}, [&] { b.Assign(u, {{1, m - 2}}, a() * (u(-1) + u(1))); });
  const Plan plan = PlanAndCheck(b.Finish(), {{5, 1}, {5, 2}, {6, 5}});
  CHECK(plan::Print(plan) ==
        "plan test\n"
        "buffers\n"
        "  double u[M]: home, filled, written\n"
        "  double u_alt[M]: scratch\n"
        "scalars\n"
        "  double a\n"
        "kernels\n"
        "  s0: block 32x4x1, unroll 1x1x1\n"
        "steps\n"
        "  copy u -> u_alt outside u.2\n"
        "  repeat T - 1\n"
        "    s0: u.2 -> u_alt from a, u\n"
        "  rotate u <- u_alt, u_alt <- u\n"
        "results\n"
        "  u in u\n");
}

}  // namespace
}  // namespace stencilgen::testing
