#include <algorithm>

#include "graph/dependences.h"
#include "graph/interpret.h"
#include "graph/liveness.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "passes/eliminate_dead.h"
#include "support/catch.h"
#include "support/graph_builder.h"

namespace stencilgen::graph {
namespace {

using testing::ArrayHandle;
using testing::At;
using testing::Ex;
using testing::GraphBuilder;
using Kind = DependenceKind;

LinearForm C(std::int64_t value) {
  return LinearForm::Constant(value);
}

Ex FivePoints(const ArrayHandle& u) {
  return u(-1, 0) + u(0, -1) + u(0, 0) + u(0, 1) + u(1, 0);
}

std::vector<Bound> One(LinearForm form) {
  return {{std::move(form), 1}};
}

TEST_CASE("dependences of two five-point stages", "[dependences]") {
  GraphBuilder b({"j", "i"});
  const LinearForm m = b.Parameter("M");
  const ArrayHandle u = b.Array("u", {m, m}).CopyIn().CopyOut();
  const ArrayHandle t = b.Array("t", {m, m});
  const NodeId first = b.Assign(t, {{1, m - 2}, {1, m - 2}}, FivePoints(u));
  const NodeId second = b.Assign(u, {{2, m - 3}, {2, m - 3}}, FivePoints(t));
  const Graph graph = b.Finish();
  const auto found = FindDependences(graph, graph.root);
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == Kind::ReadAfterWrite);
  CHECK(found[0].from == first);
  CHECK(found[0].to == second);
  CHECK(VersionName(graph, found[0].version) == "t.1");
  CHECK(found[0].distance == std::vector<Distance>{{-1, 1, true}, {-1, 1, true}});
  // The second stage overwrites the u that the first one reads.
  CHECK(found[1].kind == Kind::WriteAfterRead);
  CHECK(found[1].from == first);
  CHECK(found[1].to == second);
  CHECK(VersionName(graph, found[1].version) == "u.0");
  CHECK(found[1].distance == std::vector<Distance>{{-1, 1, true}, {-1, 1, true}});
}

TEST_CASE("dependences: one-sided offsets, overwriting, unknown distances", "[dependences]") {
  GraphBuilder b({"j", "i"});
  const ArrayHandle u = b.Array("u", {8, 8});
  const ArrayHandle v = b.Array("v", {8, 8});
  const ArrayHandle w = b.Array("w", {8, 8}).CopyOut();
  const NodeId n0 = b.Assign(u, {{0, 7}, {0, 7}}, b.Number(1));
  const NodeId n1 = b.Assign(u, {{1, 6}, {1, 6}}, b.Number(2));
  const NodeId n2 = b.Assign(v, {{0, 7}, {0, 4}}, u(0, 1) + u(0, 3));
  const NodeId n3 =
      b.Assign(w, {{0, 3}, {0, 7}}, b.Read(v, {At(1), At(0)}) + b.Read(u, {At(0, 0, 2), At(1)}));
  const Graph graph = b.Finish();
  const auto found = FindDependences(graph, graph.root);
  REQUIRE(found.size() == 4);
  const Distance unknown{0, 0, false};
  CHECK((found[0].kind == Kind::WriteAfterWrite && found[0].from == n0 && found[0].to == n1));
  CHECK(found[0].distance == std::vector<Distance>{{0, 0, true}, {0, 0, true}});
  CHECK((found[1].kind == Kind::ReadAfterWrite && found[1].from == n1 && found[1].to == n2));
  CHECK(found[1].distance == std::vector<Distance>{{0, 0, true}, {1, 3, true}});
  CHECK((found[2].from == n1 && found[2].to == n3));  // u, in steps of two along j
  CHECK(found[2].distance == std::vector<Distance>{unknown, {0, 0, true}});
  CHECK((found[3].from == n2 && found[3].to == n3));  // v, transposed
  CHECK(found[3].distance == std::vector<Distance>{unknown, unknown});
}

TEST_CASE("distances are known where a boundary mode moves nothing", "[dependences]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n});
  const ArrayHandle v = b.Array("v", {n}).CopyOut();
  const ArrayHandle w = b.Array("w", {n}).CopyOut();
  b.Assign(u, {{0, n - 1}}, b.Number(1));
  const auto wrapped = [&] { return b.Read(u, {At(0, -1)}, {{BoundaryKind::Wrap}}); };
  b.Assign(v, {{1, n - 1}}, wrapped());
  b.Assign(w, {{0, n - 1}}, wrapped());
  const auto found = FindDependences(b.Finish(), RegionId{0});
  REQUIRE(found.size() == 2);
  CHECK(found[0].distance == std::vector<Distance>{{-1, -1, true}});
  CHECK_FALSE(found[1].distance[0].known);
}

TEST_CASE("a loop is one node of the dependences around it", "[dependences]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {8}).CopyOut();
  const ArrayHandle v = b.Array("v", {8});
  const NodeId set_u = b.Assign(u, {{0, 7}}, b.Number(1));
  const NodeId set_v = b.Assign(v, {{0, 7}}, u(0));
  const NodeId loop = b.Repeat(C(2), {u}, [&] { b.Assign(u, {{0, 7}}, u(0) + v(0)); });
  const Graph graph = b.Finish();
  const auto found = FindDependences(graph, graph.root);
  REQUIRE(found.size() == 5);
  const auto has = [&](Kind kind, NodeId from, NodeId to) {
    return std::any_of(found.begin(), found.end(), [&](const Dependence& dependence) {
      return dependence.kind == kind && dependence.from == from && dependence.to == to;
    });
  };
  CHECK(has(Kind::ReadAfterWrite, set_u, set_v));
  CHECK(has(Kind::ReadAfterWrite, set_u, loop));
  CHECK(has(Kind::WriteAfterWrite, set_u, loop));
  CHECK(has(Kind::ReadAfterWrite, set_v, loop));
  CHECK(has(Kind::WriteAfterRead, set_v, loop));
  CHECK(FindDependences(graph, std::get<Loop>(graph.nodes[loop]).body).empty());
}

TEST_CASE("needs shrink to what is read and grow to its hull", "[liveness]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n}).CopyIn();
  const ArrayHandle t = b.Array("t", {n});
  const ArrayHandle out = b.Array("out", {n}).CopyIn().CopyOut();
  b.Assign(t, {{0, n - 1}}, u(0));
  const VersionId t1 = b.Present(t);
  b.Assign(out, {{2, n - 3}}, t(-1) + t(1));
  const VersionId out1 = b.Present(out);
  const Graph graph = b.Finish();
  const auto needs = FindNeeds(graph);
  CHECK(needs[out1.index].needed);
  CHECK(needs[out1.index].region.empty());
  REQUIRE(needs[t1.index].region.size() == 1);
  CHECK(needs[t1.index].region[0] == Interval{One(C(1)), One(n - 2)});
  CHECK(needs[graph.versions.Ids()[0].index].region.empty());  // all of u
  // What the operator does not write of out comes from the caller: two ends, hence all.
  CHECK(needs[2].needed);
  CHECK(needs[2].region.empty());
}

TEST_CASE("what is overwritten first is not needed", "[liveness]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n}).CopyOut();
  b.Assign(u, {{0, n - 1}}, b.Number(1));
  const VersionId dead = b.Present(u);
  b.Assign(u, {{0, n - 1}}, b.Number(2));
  const VersionId rest = b.Present(u);
  b.Assign(u, {{0, n - 3}}, b.Number(3));
  const auto needs = FindNeeds(b.Finish());
  CHECK_FALSE(needs[0].needed);
  CHECK_FALSE(needs[dead.index].needed);
  REQUIRE(needs[rest.index].needed);
  REQUIRE(needs[rest.index].region.size() == 1);
  // The candidates of "at least 0 and at least N - 2" are both kept.
  CHECK(Evaluate(needs[rest.index].region[0], {9}) == Range{7, 8});
  CHECK(Evaluate(needs[rest.index].region[0], {1}) == Range{0, 0});
}

TEST_CASE("a guarded operator may leave everything to its background", "[liveness]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {8}).CopyIn().CopyOut();
  const NodeId node = b.Assign(u, {{0, 7}}, b.Number(1));
  std::get<Operator>(b.graph().nodes[node]).domain.guards.push_back(n - 5);
  CHECK(FindNeeds(b.Finish())[0].needed);
}

TEST_CASE("needs travel around loops", "[liveness]") {
  GraphBuilder b({"i"});
  const ArrayHandle a = b.Array("a", {4}).CopyIn();
  const ArrayHandle u = b.Array("u", {4}).CopyIn();
  const ArrayHandle v = b.Array("v", {4}).CopyIn();
  const ArrayHandle w = b.Array("w", {4}).CopyIn().CopyOut();
  const ArrayHandle lost = b.Array("lost", {4}).CopyIn();
  const LinearForm t = b.Parameter("T");
  b.Repeat(t, {u, v, w, lost}, [&] {
    b.Assign(w, {{0, 3}}, v(0));  // needs v, which needs u of the turn before
    b.Assign(v, {{0, 3}}, u(0));
    b.Assign(u, {{0, 3}}, a(0));
    b.Assign(lost, {{0, 3}}, lost(0) + w(0));
  });
  const Graph graph = b.Finish();
  const auto needs = FindNeeds(graph);
  for (const VersionId version : graph.versions.Ids()) {
    const Version& info = graph.versions[version];
    const std::string& name = graph.arrays[info.array].name;
    INFO(VersionName(graph, version));
    const bool result_of_inner = info.def == DefKind::LoopResult && name != "w";
    // Of w only the loop's result counts: its entry is overwritten whole.
    const bool entry_of_w = info.def == DefKind::LoopEntry && name == "w";
    CHECK(needs[version.index].needed == (name != "lost" && !result_of_inner && !entry_of_w));
  }
}

/// Outputs must not change, nor what is needed remain to be removed.
Graph CheckedElimination(const Graph& graph, const ParameterValues& parameters,
                         const std::map<std::string, Values>& inputs) {
  REQUIRE(Verify(graph) == std::vector<std::string>{});
  Graph smaller = passes::EliminateDead(graph);
  REQUIRE(Verify(smaller) == std::vector<std::string>{});
  const auto before = Interpret(graph, parameters, inputs);
  const auto after = Interpret(smaller, parameters, inputs);
  CHECK(before.error.empty());
  CHECK(after.error.empty());
  CHECK(before.outputs == after.outputs);
  CHECK(before.defined == after.defined);
  CHECK(Print(passes::EliminateDead(smaller)) == Print(smaller));
  const auto needs = FindNeeds(smaller);
  for (const Node& node : smaller.nodes) {
    const auto* op = std::get_if<Operator>(&node);
    if (op != nullptr) CHECK(needs[op->result.index].needed);
  }
  return smaller;
}

TEST_CASE("dead operators go, with the locals that only they used", "[eliminate-dead]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {3}).CopyIn();
  const ArrayHandle out = b.Array("out", {3}).CopyOut();
  const ArrayHandle unused = b.Array("unused", {3});
  const ArrayHandle t = b.Array("t_0", {3}).Local();
  const ArrayHandle s = b.Array("s_0", {3}).Local();
  b.Assign(t, {{0, 2}}, u(0) + 1.0);
  b.Assign(unused, {{0, 2}}, t(0));
  b.Assign(s, {{0, 2}}, 2.0 * u(0));
  b.Assign(out, {{0, 2}}, b.Number(9));
  b.Assign(out, {{0, 2}}, s(0) + u(0));
  const Graph smaller = CheckedElimination(b.Finish(), {}, {{"u", std::vector<double>{1, 2, 3}}});
  CHECK(Print(smaller) == R"(graph test
iterators i
double u[3] copyin
double out[3] copyout
double unused[3]
double s_0[3] local
s_0.0 = s2 [i in 0..2]: 2.0*u.0[i]
out.1 = s4 [i in 0..2]: s_0.0[i] + u.0[i]
output out = out.1
)");
}

TEST_CASE("dead loops and carried arrays go", "[eliminate-dead]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {3}).CopyIn().CopyOut();
  const ArrayHandle t = b.Array("t", {3}).CopyIn();
  const ArrayHandle lost = b.Array("lost", {3}).CopyIn();
  b.Repeat(C(2), {u, t, lost}, [&] {
    b.Assign(t, {{0, 2}}, u(0) + 1.0);
    b.Assign(lost, {{0, 2}}, lost(0) + t(0));
    b.Assign(u, {{0, 2}}, t(0) * t(0));
  });
  b.Repeat(C(2), {lost}, [&] { b.Assign(lost, {{0, 2}}, lost(0) + u(0)); });
  const std::vector<double> values = {1, 2, 3};
  const Graph smaller =
      CheckedElimination(b.Finish(), {}, {{"u", values}, {"t", values}, {"lost", values}});
  REQUIRE(smaller.nodes.size() == 3);
  const auto& loop = std::get<Loop>(smaller.nodes[smaller.regions[smaller.root].nodes.at(0)]);
  REQUIRE(loop.carried.size() == 1);
  CHECK(smaller.arrays[loop.carried[0].array].name == "u");
  CHECK(smaller.regions[loop.body].nodes.size() == 2);
}

TEST_CASE("nothing goes where all is needed", "[eliminate-dead]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n}).CopyIn().CopyOut();
  const ArrayHandle v = b.Array("v", {n}).CopyIn().CopyOut();
  b.Repeat(C(3), {u, v}, [&] {
    const Ex c = b.Let("c", u(-1) + u(1));
    b.Assign(v, {{1, n - 2}}, b.Choose(b.Binary(BinaryOp::Less, c, b.Number(0)), c, 0.5 * c));
    b.Swap(u, v);
  });
  const Graph graph = b.Finish();
  const Graph same = CheckedElimination(
      graph, {4},
      {{"u", std::vector<double>{1, -2, -3, 4}}, {"v", std::vector<double>{4, 3, 2, 1}}});
  CHECK(Print(same) == Print(graph));
}

}  // namespace
}  // namespace stencilgen::graph
