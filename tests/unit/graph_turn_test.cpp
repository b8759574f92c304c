#include "graph/interpret.h"
#include "graph/print.h"
#include "graph/turns.h"
#include "graph/verify.h"
#include "support/catch.h"
#include "support/graph_builder.h"

// The turns of loops as values.
namespace stencilgen::graph {
namespace {

using testing::ArrayHandle;
using testing::Fixed;
using testing::GraphBuilder;
using Doubles = std::vector<double>;
using Texts = std::vector<std::string>;

const LinearForm kM = LinearForm::Parameter({0});
const LinearForm kTurn = LinearForm::Parameter({1, true});

TEST_CASE("a turn may be 0, a parameter may not") {
  CHECK(AlwaysNonNegative(kM - 1));
  CHECK(AlwaysNonNegative(kTurn));
  CHECK_FALSE(AlwaysNonNegative(kTurn - 1));
  CHECK(AlwaysNonNegative(kM + kTurn - 1));
  CHECK(AlwaysNegative(kTurn * -1 - 1));
  CHECK_FALSE(AlwaysNegative(kTurn * -1));
  CHECK_FALSE(HasTurn(kM - 1));
  CHECK(HasTurn(kM - kTurn));
}

TEST_CASE("a turn gives way to the number of a tile") {
  const ParameterId turn{1, true};
  const LinearForm tile = LinearForm::Parameter(turn) * 4 + 3;
  CHECK(Replace(kM * 2 - kTurn * 3 + 1, turn, tile) == kM * 2 - kTurn * 12 - 8);
  CHECK(Replace(kM, turn, tile) == kM);
  CHECK(HasTurn(Replace(kTurn, turn, tile)));
  CHECK_FALSE(HasTurn(Replace(kTurn, turn, LinearForm::Constant(2))));
}

TEST_CASE("turns that are left over go on where tiles end") {
  CHECK(FirstTurn({kM, 1, false}, {7}) == 0);
  CHECK(FirstTurn({kM, 3, false}, {7}) == 0);
  CHECK(FirstTurn({kM, 3, true}, {7}) == 6);
  CHECK(FirstTurn({kM, 3, true}, {6}) == 6);
  CHECK(FirstTurn({kM - 9, 3, true}, {7}) == 0);
}

/// A source, and a record of what the array was, `count` times.
struct Shot {
  GraphBuilder b{{"i"}};
  LinearForm count = b.Parameter("T");
  ArrayHandle u = b.Array("u", {3}).CopyIn().CopyOut();
  ArrayHandle source = b.Array("source", {4}).CopyIn();
  ArrayHandle record = b.Array("record", {count}).CopyIn().CopyOut();

  void Repeat() {
    b.Repeat("t", count, {u, record}, [&](const LinearForm& t) {
      b.AssignTo(record, {}, {}, {Fixed(t)}, b.Read(u, {Fixed(LinearForm::Constant(1))}));
      const auto strength = b.Read(source, {Fixed(t)});
      const auto turn = b.Convert(b.ParameterValue(t), ScalarType::Double);
      const NodeId node = b.Assign(u, {{1, 1}}, u(0) + strength + 100.0 * turn);
      std::get<Operator>(b.graph().nodes[node]).domain.guards = {LinearForm::Constant(3) - t};
    });
  }
};

TEST_CASE("a turn is an index and a value", "[interpret]") {
  Shot shot;
  shot.Repeat();
  const Graph graph = shot.b.Finish();
  REQUIRE(Verify(graph) == Texts{});
  // The source has no element for the last turn.
  const std::map<std::string, Values> inputs = {
      {"u", Doubles{9, 1, 9}}, {"source", Doubles{10, 20, 30, 40}}, {"record", Doubles(5, -1)}};
  for (int again = 0; again < 2; ++again) {  // a run begins at turn 0
    const InterpretResult result = Interpret(graph, {5, 1}, inputs);
    CHECK(result.error == "");
    CHECK(result.outputs.at(0) == Values(Doubles{9, 701, 9}));
    CHECK(result.outputs.at(1) == Values(Doubles{1, 11, 131, 361, 701}));
  }
}

TEST_CASE("graphs print the names of turns") {
  Shot shot;
  shot.Repeat();
  const std::string text = Print(shot.b.Finish());
  CHECK(text.find("loop t : T\n") != std::string::npos);
  CHECK(text.find("record.2[t] = s0 over record.1: u.1[1]\n") != std::string::npos);
  CHECK(text.find("source.0[t] + 100.0*double(t)") != std::string::npos);
  CHECK(text.find("3 - t >= 0") != std::string::npos);
  CHECK(text.find("parameter t") == std::string::npos);
}

TEST_CASE("who depends on the turn") {
  Shot shot;
  shot.Repeat();
  const Graph graph = shot.b.Finish();
  std::vector<const Operator*> ops;
  for (const Node& node : graph.nodes) {
    if (const auto* op = std::get_if<Operator>(&node)) ops.push_back(op);
  }
  REQUIRE(ops.size() == 2);
  CHECK(WritesByTurn(*ops[0]));
  CHECK(WritesByTurn(*ops[1]));
  Operator always = *ops[1];
  always.domain.guards.clear();
  CHECK_FALSE(WritesByTurn(always));
  CHECK(TurnsUsed(graph, always) == std::set<ParameterId>{{1, true}});
  CHECK(SizesOf(graph) == std::vector<ParameterId>{{0}});
}

TEST_CASE("the verifier finds turns where they have no value") {
  SECTION("outside of the loop") {
    Shot shot;
    shot.Repeat();
    shot.b.AssignTo(shot.record, {}, {}, {Fixed(LinearForm::Constant(0))},
                    shot.b.Read(shot.source, {Fixed(kTurn)}));
    CHECK(Verify(shot.b.Finish()) == Texts{"s2 (call 2) uses the turn t outside of its loop"});
  }
  SECTION("of two loops, one in the other") {
    GraphBuilder b({"i"});
    const LinearForm count = b.Parameter("T");
    const ArrayHandle u = b.Array("u", {3}).CopyIn().CopyOut();
    NodeId inner;
    const NodeId outer = b.Repeat("t", count, {u}, [&](const LinearForm&) {
      inner = b.Repeat(count, {u}, [&] { b.Assign(u, {{0, 2}}, 2.0 * u(0)); });
    });
    auto& loop = std::get<Loop>(b.graph().nodes[inner]);
    loop.turn = std::get<Loop>(b.graph().nodes[outer]).turn;
    CHECK(Verify(b.Finish()) == Texts{"a loop has the turn t of one around it"});
  }
  SECTION("of a form that takes it for a parameter") {
    Shot shot;
    shot.Repeat();
    for (Node& node : shot.b.graph().nodes) {
      auto* op = std::get_if<Operator>(&node);
      if (op == nullptr) continue;
      for (LinearForm& guard : op->domain.guards) guard.terms[0].first.turn = false;
    }
    CHECK_FALSE(Verify(shot.b.Finish()).empty());
  }
  SECTION("before a parameter") {
    Shot shot;
    shot.Repeat();
    shot.b.Parameter("N");
    CHECK(shot.b.errors() == Texts{"parameter `N` is added after a loop with a named turn"});
    CHECK_FALSE(Verify(shot.b.Finish()).empty());
  }
  SECTION("two of one name") {
    GraphBuilder b({"i"});
    const LinearForm count = b.Parameter("T");
    const ArrayHandle u = b.Array("u", {3}).CopyIn().CopyOut();
    b.Repeat("T", count, {u}, [&](const LinearForm&) { b.Assign(u, {{0, 2}}, 2.0 * u(0)); });
    CHECK(b.errors() == Texts{"the turn `T` has the name of a parameter or of another turn"});
  }
}

}  // namespace
}  // namespace stencilgen::graph
