#include "plan/fuse_loops.h"

#include "plan_test_tools.h"

// Which kernels may share a loop nest, and what it needs in memory then.
namespace stencilgen::testing {
namespace {

using Catch::Matchers::Contains;
using plan::Plan;

using Operators = std::vector<const graph::Operator*>;

/// As few nests as may be.
double One(const graph::Graph& /*graph*/, const Operators& /*ops*/) {
  return 1;
}

/// The graph's plan with as few nests as may be, checked with these sizes.
Plan FuseAndCheck(const graph::Graph& graph, const std::vector<graph::ParameterValues>& sizes) {
  const Plan plan = plan::FuseLoops(PlanAndCheck(graph, sizes), One);
  INFO(plan::Print(plan));
  for (const graph::ParameterValues& parameters : sizes) {
    CHECK(CheckPlan(plan, parameters, SomeInputs(graph, parameters)) == "");
  }
  return plan;
}

/// By kernel, how many operators it has.
std::vector<std::size_t> NestsOf(const Plan& plan) {
  std::vector<std::size_t> nests;
  for (const plan::Kernel& kernel : plan.kernels) nests.push_back(kernel.ops.size());
  return nests;
}

struct Arrays {
  GraphBuilder builder{{"i"}};
  graph::LinearForm m = builder.Parameter("M");
  ArrayHandle a = builder.Array("a", {m}).CopyIn();
  ArrayHandle u = builder.Array("u", {m}).CopyIn().CopyOut();
  ArrayHandle v = builder.Array("v", {m}).CopyIn().CopyOut();
  ArrayHandle t = builder.Array("t", {m}).Local();
  std::vector<Bounds> all = {{0, m - 1}};
  std::vector<Bounds> inside = {{1, m - 2}};
};
const std::vector<graph::ParameterValues> kLengths = {{3}, {8}, {17}};

TEST_CASE("what a nest alone reads has no buffer") {
  Arrays x;
  x.builder.Assign(x.t, x.all, 2.0 * x.a(0));
  x.builder.Assign(x.u, x.all, x.t(0) + x.a(0));
  x.builder.Assign(x.v, x.all, x.t(0) * x.u(0));
  const Plan plan = FuseAndCheck(x.builder.Finish(), kLengths);
  CHECK(NestsOf(plan) == std::vector<std::size_t>{3});
  const auto stored = plan::StoredVersions(plan, plan.kernels[{0}]);
  CHECK(stored.size() == 2);
  CHECK_THAT(plan::Print(plan), Contains("u.1 -> u, v.1 -> v from a\n"));
}

TEST_CASE("statements that change an array at its own point share a nest and store once") {
  Arrays x;
  x.builder.Assign(x.u, x.inside, x.u(0) + x.a(-1));
  x.builder.Assign(x.v, x.inside, x.v(0) - x.a(1));
  x.builder.Assign(x.u, x.inside, x.u(0) * x.v(0));
  const Plan plan = FuseAndCheck(x.builder.Finish(), kLengths);
  CHECK(NestsOf(plan) == std::vector<std::size_t>{3});
  CHECK(plan::StoredVersions(plan, plan.kernels[{0}]).size() == 2);
}

TEST_CASE("what is read at other points, or has other points, is in a nest of its own") {
  SECTION("a result") {
    Arrays x;
    x.builder.Assign(x.t, x.all, 2.0 * x.a(0));
    x.builder.Assign(x.u, x.inside, x.t(-1) + x.t(1));
    CHECK(NestsOf(FuseAndCheck(x.builder.Finish(), kLengths)) == std::vector<std::size_t>{1, 1});
  }
  SECTION("a result, with the same points") {
    Arrays x;
    x.builder.Assign(x.t, x.inside, 2.0 * x.a(0));
    x.builder.Assign(x.u, {{2, x.m - 3}}, x.t(-1) + x.t(1));
    x.builder.Assign(x.v, {{2, x.m - 3}}, x.t(0));
    CHECK(NestsOf(FuseAndCheck(x.builder.Finish(), {{5}, {9}})) == std::vector<std::size_t>{1, 2});
  }
  SECTION("what is overwritten afterwards") {
    Arrays x;
    x.builder.Assign(x.v, x.inside, x.u(-1) + x.u(1));
    x.builder.Assign(x.u, x.inside, 0.5 * x.u(0));
    CHECK(NestsOf(FuseAndCheck(x.builder.Finish(), kLengths)) == std::vector<std::size_t>{1, 1});
  }
  SECTION("other points") {
    Arrays x;
    x.builder.Assign(x.u, x.all, 2.0 * x.a(0));
    x.builder.Assign(x.v, x.inside, 3.0 * x.a(0));
    CHECK(NestsOf(FuseAndCheck(x.builder.Finish(), kLengths)) == std::vector<std::size_t>{1, 1});
  }
  SECTION("one element at all points") {
    Arrays x;
    const auto last = x.builder.Array("last", {x.m}).CopyIn().CopyOut();
    x.builder.AssignTo(last, {0}, x.inside, {Fixed(graph::LinearForm::Constant(0))}, x.a(0));
    x.builder.Assign(x.v, x.inside, 3.0 * x.a(0));
    const Plan plan = plan::FuseLoops(plan::PlanKernels(x.builder.Finish(), {}), One);
    CHECK(NestsOf(plan) == std::vector<std::size_t>{1, 1});
  }
  SECTION("one element, at no point") {
    Arrays x;
    x.builder.Assign(x.u, x.all, 2.0 * x.a(0));
    const std::vector<graph::Index> first = {Fixed(graph::LinearForm::Constant(0))};
    x.builder.AssignTo(x.v, {}, {}, first, 3.0 * x.builder.Read(x.a, first));
    x.builder.AssignTo(x.u, {}, {}, first, 2.0 * x.builder.Read(x.v, first));
    const Plan plan = plan::FuseLoops(PlanAndCheck(x.builder.Finish(), kLengths),
                                      [](const graph::Graph&, const Operators& ops) {
                                        REQUIRE_FALSE(ops.front()->iterators.empty());
                                        return 1.0;
                                      });
    CHECK(NestsOf(plan) == std::vector<std::size_t>{1, 1, 1});
  }
}

TEST_CASE("copies between two kernels go before their nest") {
  Arrays x;
  x.builder.Assign(x.v, x.inside, x.a(0));
  x.builder.Assign(x.u, x.inside, x.a(-1) + x.u(0));
  const auto w = x.builder.Array("w", {x.m}).CopyIn().CopyOut();
  x.builder.Assign(w, x.inside, x.a(1) + w(0) + x.u(0));
  const Plan plan = FuseAndCheck(x.builder.Finish(), kLengths);
  CHECK(NestsOf(plan) == std::vector<std::size_t>{3});

  // v's old values are read after it is written: its new ones go elsewhere, with its ends.
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto p = b.Array("p", {m}).CopyIn().CopyOut();
  const auto q = b.Array("q", {m}).CopyIn().CopyOut();
  const auto r = b.Array("r", {m}).CopyIn().CopyOut();
  b.Assign(r, {{1, m - 2}}, p(0));
  b.Assign(p, {{1, m - 2}}, q(-1) + p(-1));
  b.Assign(q, {{1, m - 2}}, q(0) + r(0));
  const Plan moved = FuseAndCheck(b.Finish(), kLengths);
  INFO(plan::Print(moved));
  CHECK(Count<plan::CopyOutside>(moved.steps) == 1);
  CHECK(NestsOf(moved) == std::vector<std::size_t>{2, 1});
}

TEST_CASE("steps between, and the ends of loops, part nests") {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto n = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyIn().CopyOut();
  const auto s = b.Scalar("s");
  b.Assign(u, {{0, m - 1}}, u(0) + s());
  b.Repeat(n - 1, {u, v}, [&] {
    b.Assign(v, {{0, m - 1}}, v(0) + u(0));
    b.Assign(u, {{0, m - 1}}, u(0) * v(0));
  });
  b.Assign(s, {}, 2.0 * s());
  b.Assign(v, {{0, m - 1}}, v(0) + s());
  const Plan plan = FuseAndCheck(b.Finish(), {{5, 1}, {5, 2}, {6, 4}});
  CHECK(NestsOf(plan) == std::vector<std::size_t>{1, 2, 1});
}

TEST_CASE("the cut with the lowest prices is taken") {
  Arrays x;
  const auto w = x.builder.Array("w", {x.m}).CopyIn().CopyOut();
  x.builder.Assign(x.u, x.all, x.a(0));
  x.builder.Assign(x.v, x.all, 2.0 * x.a(0));
  x.builder.Assign(w, x.all, 3.0 * x.a(0));
  const graph::Graph graph = x.builder.Finish();
  const auto nests = [&](double one, double two, double three) {
    const std::vector<double> prices = {one, two, three};
    return NestsOf(plan::FuseLoops(
        plan::PlanKernels(graph, {}),
        [&](const graph::Graph&, const Operators& ops) { return prices[ops.size() - 1]; }));
  };
  CHECK(nests(1, 2, 3) == std::vector<std::size_t>{1, 1, 1});
  CHECK(nests(1, 1.9, 3) == std::vector<std::size_t>{2, 1});
  CHECK(nests(1, 3, 2.9) == std::vector<std::size_t>{3});
}

TEST_CASE("nests that are wrong are found") {
  Arrays x;
  x.builder.Assign(x.t, x.inside, 2.0 * x.a(0));
  x.builder.Assign(x.u, {{2, x.m - 3}}, x.t(-1) + x.t(1));
  x.builder.Assign(x.v, {{2, x.m - 3}}, x.u(-1));
  x.builder.Assign(x.u, {{2, x.m - 3}}, x.a(0));
  const Plan plan = plan::PlanKernels(x.builder.Finish(), {});
  const auto problems = [&](std::size_t first, std::size_t second) {
    Plan wrong = plan;
    auto& ops = wrong.kernels[{static_cast<std::uint32_t>(first)}].ops;
    ops.push_back(wrong.kernels[{static_cast<std::uint32_t>(second)}].ops.front());
    wrong.steps.erase(wrong.steps.begin() + static_cast<std::ptrdiff_t>(second));
    std::string all;
    for (const std::string& problem : plan::Verify(wrong)) all += problem + "; ";
    return all;
  };
  REQUIRE(plan.steps.size() == 4);
  CHECK_THAT(problems(0, 1), Contains("has other points than"));
  CHECK_THAT(problems(0, 1), Contains("at other points of its nest"));
  CHECK_THAT(problems(1, 2), Contains("v.1 reads u.1 at other points of its nest"));
  CHECK_THAT(problems(2, 3), Contains("overwrites u.1 while it is read at other points"));
}

}  // namespace
}  // namespace stencilgen::testing
