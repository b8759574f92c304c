#include "graph/interpret.h"
#include "graph/verify.h"
#include "support/catch.h"
#include "support/graph_builder.h"

namespace stencilgen::graph {
namespace {

using testing::ArrayHandle;
using testing::GraphBuilder;
using Doubles = std::vector<double>;

LinearForm C(std::int64_t value) {
  return LinearForm::Constant(value);
}

/// Runs twice, against a state that one run would leave behind.
InterpretResult Run(GraphBuilder& builder, const ParameterValues& parameters,
                    const std::map<std::string, Values>& inputs) {
  const Graph graph = builder.Finish();
  REQUIRE(Verify(graph) == std::vector<std::string>{});
  const InterpretResult first = Interpret(graph, parameters, inputs);
  const InterpretResult second = Interpret(graph, parameters, inputs);
  CHECK(first.outputs == second.outputs);
  return first;
}

TEST_CASE("a time loop with swap, by hand", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {4}).CopyIn().CopyOut();
  const ArrayHandle v = b.Array("v", {4}).CopyIn().CopyOut();
  b.Repeat(C(3), {u, v}, [&] {
    b.Assign(v, {{1, 2}}, u(-1) + u(1));
    b.Swap(u, v);
  });
  // u        v
  // 1 2 3 4  9 8 7 6
  // v = 9 4 6 6  -> u = 9 4 6 6, v = 1 2 3 4
  // v = 1 15 10 4 -> u = 1 15 10 4, v = 9 4 6 6
  // v = 9 11 19 6 -> u = 9 11 19 6, v = 1 15 10 4
  const auto result = Run(b, {}, {{"u", Doubles{1, 2, 3, 4}}, {"v", Doubles{9, 8, 7, 6}}});
  CHECK(result.outputs.at(0) == Values(Doubles{9, 11, 19, 6}));
  CHECK(result.outputs.at(1) == Values(Doubles{1, 15, 10, 4}));
}

TEST_CASE("a rotation of three arrays without any statement", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {1}).CopyIn().CopyOut();
  const ArrayHandle v = b.Array("v", {1}).CopyIn().CopyOut();
  const ArrayHandle w = b.Array("w", {1}).CopyIn().CopyOut();
  const LinearForm t = b.Parameter("T");
  b.Repeat(t, {u, v, w}, [&] {
    b.Swap(u, v);
    b.Swap(v, w);
  });
  const std::map<std::string, Values> inputs = {
      {"u", Doubles{1}}, {"v", Doubles{2}}, {"w", Doubles{3}}};
  // Each turn: (u, v, w) becomes (v, w, u).
  const auto result = Run(b, {4}, inputs);
  CHECK(result.outputs.at(0) == Values(Doubles{2}));
  CHECK(result.outputs.at(1) == Values(Doubles{3}));
  CHECK(result.outputs.at(2) == Values(Doubles{1}));
}

TEST_CASE("a loop of no turns does nothing", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {2}).CopyIn().CopyOut();
  b.Repeat(C(0), {u}, [&] { b.Assign(u, {{0, 1}}, u(0) + 1.0); });
  CHECK(Run(b, {}, {{"u", Doubles{5, 6}}}).outputs.at(0) == Values(Doubles{5, 6}));
}

TEST_CASE("a negative count is an error that names it", "[interpret]") {
  GraphBuilder b({"i"});
  const LinearForm t = b.Parameter("T");
  const ArrayHandle u = b.Array("u", {2}).CopyIn().CopyOut();
  b.Repeat(t - 5, {u}, [&] { b.Assign(u, {{0, 1}}, u(0) + 1.0); });
  const auto result = Run(b, {3}, {{"u", Doubles{5, 6}}});
  CHECK(result.error == "the iteration count T - 5 is -2, but must not be negative");
  CHECK(result.outputs.empty());
}

TEST_CASE("nested loops multiply", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {2}).CopyIn().CopyOut();
  const ArrayHandle k = b.Array("k", {2}).CopyIn();
  b.Repeat(C(3), {u}, [&] {
    b.Repeat(C(4), {u}, [&] { b.Assign(u, {{0, 1}}, u(0) + k(0)); });
    b.Assign(u, {{0, 0}}, 2.0 * u(0));
  });
  // u[1]: 12 * 10. u[0]: ((4*1)*2 + 4)*2 + 4)*2 = 56 for k[0] = 1.
  const auto result = Run(b, {}, {{"u", Doubles{0, 0}}, {"k", Doubles{1, 10}}});
  CHECK(result.outputs.at(0) == Values(Doubles{56, 120}));
}

TEST_CASE("what a loop reads of the time before it stays", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {2}).CopyIn();
  const ArrayHandle v = b.Array("v", {2}).CopyIn().CopyOut();
  const ArrayHandle w = b.Array("w", {2}).CopyOut();
  const VersionId first = b.Present(v);
  b.Repeat(C(3), {v}, [&] {
    // v = v + (its value before the loop) + u
    const testing::Ex before =
        b.Node({Access{first, {testing::At(0)}, {}}, ScalarType::Double, {}});
    b.Assign(v, {{0, 1}}, v(0) + before + u(0));
  });
  b.Assign(w, {{0, 1}}, v(0) - u(0));
  const auto result = Run(b, {}, {{"u", Doubles{1, 2}}, {"v", Doubles{10, 20}}});
  CHECK(result.outputs.at(0) == Values(Doubles{43, 86}));
  CHECK(result.outputs.at(1) == Values(Doubles{42, 84}));
}

TEST_CASE("an old version is still there after its array is written", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {3}).CopyIn().CopyOut();
  const ArrayHandle out = b.Array("out", {3}).CopyOut();
  const testing::Ex old = u(0);
  b.Assign(u, {{0, 2}}, 10.0 * u(0));
  b.Assign(out, {{0, 2}}, old + u(0));
  const auto result = Run(b, {}, {{"u", Doubles{1, 2, 3}}});
  CHECK(result.outputs.at(0) == Values(Doubles{10, 20, 30}));
  CHECK(result.outputs.at(1) == Values(Doubles{11, 22, 33}));
}

}  // namespace
}  // namespace stencilgen::graph
