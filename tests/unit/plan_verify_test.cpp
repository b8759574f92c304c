#include "plan_test_tools.h"

// Plans that are wrong: what the verifier says of them.
namespace stencilgen::testing {
namespace {

using Catch::Matchers::Contains;
using plan::BufferId;
using plan::Plan;

std::string Problems(const Plan& plan) {
  std::string all;
  for (const std::string& problem : plan::Verify(plan)) all += problem + "; ";
  return all;
}

/// u rotates with its alternate; v is written from it afterwards.
Plan RotatingPlan() {
  GraphBuilder b({"i"});
  const auto m = b.Parameter("M");
  const auto t = b.Parameter("T");
  const auto u = b.Array("u", {m}).CopyIn().CopyOut();
  const auto v = b.Array("v", {m}).CopyIn().CopyOut();
  b.Repeat(t - 1, {u}, [&] { b.Assign(u, {{1, m - 2}}, u(-1) + u(1)); });
  b.Assign(v, {{1, m - 2}}, u(-1) + u(1));
  return PlanAndCheck(b.Finish(), {{6, 3}});
}

TEST_CASE("a right plan has no problems") {
  CHECK(Problems(RotatingPlan()).empty());
}

TEST_CASE("an operator in place over what it reads at other points is found") {
  Plan plan = RotatingPlan();
  const auto& op = std::get<graph::Operator>(plan.graph.nodes[plan.kernels[{0}].ops.front()]);
  plan.buffer_of[op.result.index] = plan.buffer_of[op.background.index];
  CHECK_THAT(Problems(plan), Contains("overwrites") && Contains("other points"));
}

TEST_CASE("a background that is not copied is found") {
  Plan plan = RotatingPlan();
  plan.steps.erase(plan.steps.begin());
  CHECK_THAT(Problems(plan), Contains("is not around it"));
}

TEST_CASE("a rotation that is missing or no permutation is found") {
  Plan plan = RotatingPlan();
  auto& rotation = std::get<plan::Repeat>(plan.steps[1]).rotation;
  const auto kept = rotation;
  rotation.clear();
  CHECK_THAT(Problems(plan), Contains("is not in its place"));
  rotation = {kept[0]};
  CHECK_THAT(Problems(plan), Contains("no permutation"));
}

TEST_CASE("a result that is elsewhere is found") {
  Plan plan = RotatingPlan();
  plan.results[0] = plan.results[1];
  CHECK_THAT(Problems(plan), Contains("the result of"));
}

TEST_CASE("a kernel that reads what is overwritten is found") {
  Plan plan = RotatingPlan();
  std::swap(plan.steps[1], plan.steps[2]);
  CHECK_THAT(Problems(plan), Contains("reads u") && Contains("where it is not"));
}

TEST_CASE("two things of one name are found") {
  Plan plan = RotatingPlan();
  plan.kernels[{1}].name = plan.buffers[{0}].name;
  CHECK_THAT(Problems(plan), Contains("two things named u"));
}

}  // namespace
}  // namespace stencilgen::testing
