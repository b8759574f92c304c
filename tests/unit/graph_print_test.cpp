#include "graph/print.h"
#include "graph/verify.h"
#include "support/catch.h"
#include "support/graph_builder.h"

namespace stencilgen::graph {
namespace {

using testing::ArrayHandle;
using testing::At;
using testing::Ex;
using testing::GraphBuilder;

std::string Text(GraphBuilder& b, Ex value) {
  return PrintExpr(b.graph(), Operator{}, value.id);
}

TEST_CASE("expressions have as few parentheses as they need", "[print]") {
  GraphBuilder b({"j", "i"});
  const Ex x = b.Array("x", {4, 4})(0, 0);
  const Ex y = b.Array("y", {4, 4})(-1, 2);
  const Ex two = b.Number(2, ScalarType::Int);
  CHECK(Text(b, (x + y) + x) == "x.0[j][i] + y.0[j - 1][i + 2] + x.0[j][i]");
  CHECK(Text(b, x - (y - x)) == "x.0[j][i] - (y.0[j - 1][i + 2] - x.0[j][i])");
  CHECK(Text(b, 0.5 * (x + x)) == "0.5*(x.0[j][i] + x.0[j][i])");
  CHECK(Text(b, 0.5 * x + x) == "0.5*x.0[j][i] + x.0[j][i]");
  CHECK(Text(b, x / (x * x)) == "x.0[j][i]/(x.0[j][i]*x.0[j][i])");
  const Ex minus = b.Unary(UnaryOp::Negate, x);
  CHECK(Text(b, b.Unary(UnaryOp::Negate, minus)) == "-(-x.0[j][i])");
  CHECK(Text(b, b.Unary(UnaryOp::Negate, x + x)) == "-(x.0[j][i] + x.0[j][i])");
  CHECK(Text(b, b.Binary(BinaryOp::Power, minus, two)) == "(-x.0[j][i])^2");
  CHECK(Text(b, b.Unary(UnaryOp::Negate, b.Binary(BinaryOp::Power, x, two))) == "-x.0[j][i]^2");
  const Ex test = b.Binary(BinaryOp::Less, x, b.Number(1));
  CHECK(Text(b, b.Choose(test, x, x) + x) ==
        "(x.0[j][i] < 1.0 ? x.0[j][i] : x.0[j][i]) + x.0[j][i]");
  CHECK(Text(b, b.Call(Function::Max, {x, x + x})) == "max(x.0[j][i], x.0[j][i] + x.0[j][i])");
  CHECK(Text(b, b.Convert(x, ScalarType::Float)) == "float(x.0[j][i])");
}

TEST_CASE("literals show their type", "[print]") {
  GraphBuilder b({"i"});
  CHECK(Text(b, b.Number(0.2)) == "0.2");
  CHECK(Text(b, b.Number(3)) == "3.0");
  CHECK(Text(b, b.Number(1e-20)) == "1e-20");
  CHECK(Text(b, b.Number(0.1, ScalarType::Float)) == "0.1f");
  CHECK(Text(b, b.Number(3, ScalarType::Float)) == "3.0f");
  CHECK(Text(b, b.Number(3, ScalarType::Int)) == "3");
  CHECK(Text(b, b.Number(1, ScalarType::Bool)) == "true");
  CHECK(Text(b, b.Number(-2, ScalarType::Int) * b.Number(3, ScalarType::Int)) == "-2*3");
}

TEST_CASE("a whole graph", "[print]") {
  GraphBuilder b({"j", "i"});
  const LinearForm m = b.Parameter("M");
  const LinearForm t = b.Parameter("T");
  b.graph().parameters[ParameterId{0}].default_value = 512;
  const ArrayHandle in = b.Array("in", {m, m}).CopyIn();
  const ArrayHandle out = b.Array("out", {m, m}).CopyOut();
  const ArrayHandle a = b.Scalar("a");
  b.Assign(a, {}, 2.0 * a());
  b.Repeat(t, {out}, [&] {
    const Ex half = b.Let("half", 0.5 * a());
    b.Assign(out, {{1, m - 2}, {1, m - 2}}, half * (in(-1, 0) + out(0, 0)));
  });
  b.AssignTo(out, {1}, {{0, m - 1}}, {testing::Fixed(LinearForm::Constant(0)), At(1)},
             b.Read(in, {At(1), At(1, -1)}, {{BoundaryKind::None}, {BoundaryKind::Clamp}}));
  const Graph graph = b.Finish();
  REQUIRE(Verify(graph) == std::vector<std::string>{});
  CHECK(Print(graph) == R"(graph test
iterators j, i
parameter M = 512
parameter T
double in[M][M] copyin
double out[M][M] copyout
double a copyin
a.1 = s0 over a.0: 2.0*a.0
loop T
  carry out.1: first out.0, next out.2, after out.3
  out.2 = s1 [j in 1..M - 2, i in 1..M - 2] over out.1: half*(in.0[j - 1][i] + out.1[j][i])
    let double half = 0.5*a.1
out.4[0][i] = s2 [i in 0..M - 1] over out.3: in.0[i][clamp: i - 1]
output out = out.4
)");
}

TEST_CASE("bounds with several candidates, divisors and guards", "[print]") {
  GraphBuilder b({"i"});
  const LinearForm m = b.Parameter("M");
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {m}).CopyOut();
  const NodeId node = b.Assign(u, {{0, m - 1}}, b.Number(1));
  Operator op = std::get<Operator>(b.graph().nodes[node]);
  AddUpper(op.domain.intervals[0], {n, 1});
  AddLower(op.domain.intervals[0], {m - 1, 2});
  op.domain.guards.push_back(m - 4);
  CHECK(PrintDomain(b.graph(), op) == "[i in ceil((M - 1)/2)..min(M - 1, N), M - 4 >= 0]");
}

TEST_CASE("dot shows operators, clusters and dependences", "[print]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {8}).CopyIn();
  const ArrayHandle v = b.Array("v", {8}).CopyOut();
  const ArrayHandle w = b.Array("w", {8}).CopyOut();
  b.Assign(v, {{0, 7}}, u(0));
  b.Assign(w, {{1, 6}}, v(-1) + v(1));
  b.Repeat(LinearForm::Constant(3), {w}, [&] { b.Assign(w, {{0, 7}}, w(0) + v(0)); });
  const std::string text = PrintDot(b.Finish());
  CHECK(text.find("digraph \"test\"") == 0);
  CHECK(text.find("n0 [label=\"v.1 = s0\\n[i in 0..7]\"]") != std::string::npos);
  CHECK(text.find("n0 -> n1 [label=\"RAW v.1 (-1..1)\"]") != std::string::npos);
  CHECK(text.find("subgraph cluster_3") != std::string::npos);
  CHECK(text.find("n0 -> n3 [label=\"RAW v.1 (*)\"]") != std::string::npos);
  CHECK(text.find("n1 -> n3 [label=\"WAW w.1 (*)\", style=dashed]") != std::string::npos);
}

TEST_CASE("flops count what a point computes", "[graph]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {8}).CopyIn();
  const ArrayHandle out = b.Array("out", {8}).CopyOut();
  const Ex let = b.Let("square", u(0) * u(0));                                    // 1
  const Ex cube = b.Binary(BinaryOp::Power, u(0), b.Number(3, ScalarType::Int));  // 2
  const Ex fused = b.Call(Function::Fma, {let, let, cube});                       // 2
  const Ex chosen =                                                               // 1
      b.Choose(b.Binary(BinaryOp::Less, u(0), b.Number(0)), fused, b.Unary(UnaryOp::Negate, let));
  const Ex root = b.Call(Function::Sqrt, {chosen});                               // 1
  const Ex index = b.Convert(b.Iterator(0) + b.Iterator(0), ScalarType::Double);  // 0
  const NodeId node = b.Assign(out, {{0, 7}}, root / index);                      // 1
  CHECK(FlopsPerPoint(b.graph(), std::get<Operator>(b.graph().nodes[node])) == 8);
  CHECK(Accesses(b.graph(), std::get<Operator>(b.graph().nodes[node])).size() == 4);
}

}  // namespace
}  // namespace stencilgen::graph
