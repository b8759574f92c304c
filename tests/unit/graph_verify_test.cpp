#include "graph/verify.h"
#include "support/catch.h"
#include "support/graph_builder.h"

namespace stencilgen::graph {
namespace {

using testing::ArrayHandle;
using testing::At;
using testing::Ex;
using testing::GraphBuilder;

/// A valid graph with one of everything, to be broken in one place.
struct Sample {
  Graph graph;
  NodeId scalar, average, loop, inner;

  Operator& Average() { return std::get<Operator>(graph.nodes[average]); }
  Operator& Inner() { return std::get<Operator>(graph.nodes[inner]); }
  Loop& TheLoop() { return std::get<Loop>(graph.nodes[loop]); }
  Expr& ValueOf(Operator& op) { return graph.exprs[op.value]; }
};

Sample Make() {
  Sample sample;
  GraphBuilder b({"j", "i"});
  const LinearForm m = b.Parameter("M");
  const ArrayHandle in = b.Array("in", {m, m}).CopyIn();
  const ArrayHandle out = b.Array("out", {m, m}).CopyOut();
  const ArrayHandle a = b.Scalar("a");
  sample.scalar = b.Assign(a, {}, 2.0 * a());
  const Ex half = b.Let("half", 0.5 * a());
  sample.average = b.Assign(out, {{1, m - 2}, {1, m - 2}}, half * (in(-1, 0) + in(1, 0)));
  sample.loop = b.Repeat(m, {out}, [&] {
    sample.inner = b.Assign(out, {{0, m - 1}, {0, m - 1}}, out(0, 0) + in(0, 0));
  });
  sample.graph = b.Finish();
  return sample;
}

/// Breaks a sample and expects a problem with `text` in it.
template <typename Break>
void Expect(const std::string& text, Break break_it) {
  Sample sample = Make();
  break_it(sample);
  const std::vector<std::string> problems = Verify(sample.graph);
  INFO("expected: " << text);
  REQUIRE(!problems.empty());
  bool found = false;
  for (const std::string& problem : problems) {
    UNSCOPED_INFO(problem);
    found = found || problem.find(text) != std::string::npos;
  }
  CHECK(found);
}

TEST_CASE("a valid graph has no problems", "[verify]") {
  CHECK(Verify(Make().graph) == std::vector<std::string>{});
}

TEST_CASE("broken structure", "[verify]") {
  Expect("root region", [](Sample& s) { s.graph.root = RegionId{9}; });
  Expect("two places", [](Sample& s) { s.graph.regions[s.graph.root].nodes.push_back(s.average); });
  Expect("has two places", [](Sample& s) { s.TheLoop().body = s.graph.root; });
  Expect("node that does not exist",
         [](Sample& s) { s.graph.regions[s.graph.root].nodes.push_back(NodeId{77}); });
  Expect("operand does not exist",
         [](Sample& s) { std::get<Binary>(s.ValueOf(s.Average()).node).lhs = ExprId{999}; });
  Expect("contains itself",
         [](Sample& s) { std::get<Binary>(s.ValueOf(s.Average()).node).lhs = s.Average().value; });
  Expect("version that does not exist", [](Sample& s) {
    s.ValueOf(s.Average()).node = Access{VersionId{99}, {At(0), At(1)}, {}};
  });
  Expect("1 indices", [](Sample& s) {
    s.ValueOf(s.Average()).node = Access{VersionId{0}, {At(0)}, {}};
  });
  Expect("1 boundary modes", [](Sample& s) {
    s.ValueOf(s.Average()).node = Access{VersionId{0}, {At(0), At(1)}, {Boundary{}}};
  });
  Expect("invalid index", [](Sample& s) {
    s.ValueOf(s.Average()).node = Access{VersionId{0}, {At(0), At(5)}, {}};
  });
  Expect("intervals for", [](Sample& s) { s.Average().domain.intervals.pop_back(); });
  Expect("ascending", [](Sample& s) { s.Average().iterators = {1, 0}; });
  Expect("not its own", [](Sample& s) {
    s.graph.exprs[s.Average().lets[0].value] = s.graph.exprs[s.Average().value];
    s.Average().lets[0].value = s.Inner().value;
    std::get<Operator>(s.graph.nodes[s.scalar]).value = s.Inner().value;
  });
  Expect("its target has 1 indices", [](Sample& s) { s.Average().target.pop_back(); });
  Expect("before it is computed", [](Sample& s) { s.Average().lets.clear(); });
  Expect("two lets", [](Sample& s) { s.Average().lets.push_back(s.Average().lets[0]); });
  Expect("two arrays are named in", [](Sample& s) { s.graph.arrays[ArrayId{1}].name = "in"; });
  Expect("parameter that is fixed", [](Sample& s) {
    s.graph.parameters[ParameterId{0}].fixed = 4;
    s.ValueOf(s.Average()).node = ParameterRef{ParameterId{0}};
  });
  Expect("not a valid form", [](Sample& s) {
    s.TheLoop().turns.count.terms = {{ParameterId{7}, 1}};
  });
  Expect("divided by less than 1", [](Sample& s) { s.TheLoop().turns.divisor = 0; });
  Expect("body of a loop does not exist", [](Sample& s) { s.TheLoop().body = RegionId{12}; });
  Expect("carries what does not exist",
         [](Sample& s) { s.TheLoop().carried[0].next = VersionId{}; });
  Expect("unroll wish", [](Sample& s) { s.graph.unroll_wishes.pop_back(); });
  Expect("cannot be copied out", [](Sample& s) { s.graph.arrays[ArrayId{2}].copy_out = true; });
}

TEST_CASE("broken scopes", "[verify]") {
  Expect("defined twice", [](Sample& s) { s.Inner().result = s.Average().result; });
  Expect("not defined there", [](Sample& s) {  // a version of the body, used after the loop
    s.graph.outputs[0].version = s.Inner().result;
  });
  Expect("not defined there", [](Sample& s) {
    std::swap(s.graph.regions[s.graph.root].nodes[1], s.graph.regions[s.graph.root].nodes[2]);
  });
  Expect("does not name the node",
         [](Sample& s) { s.graph.versions[s.Average().result].node = s.inner; });
  Expect("another shape",
         [](Sample& s) { s.graph.versions[s.Average().background].array = ArrayId{2}; });
  Expect("differ in shape", [](Sample& s) {
    const ArrayId other = s.graph.arrays.Add(s.graph.arrays[ArrayId{1}]);
    s.graph.arrays[other].name = "other";
    s.graph.arrays[other].extents[0] = LinearForm::Constant(3);
    s.graph.versions[s.TheLoop().carried[0].result].array = other;
  });
  Expect("writes the constant out", [](Sample& s) { s.graph.arrays[ArrayId{1}].constant = true; });
  Expect("not copied out", [](Sample& s) { s.graph.arrays[ArrayId{1}].copy_out = false; });
}

TEST_CASE("broken types", "[verify]") {
  Expect("differ in type", [](Sample& s) {
    const ExprId lhs = std::get<Binary>(s.ValueOf(s.Average()).node).lhs;
    s.graph.exprs[lhs].type = ScalarType::Int;
  });
  Expect("another type than its result", [](Sample& s) {
    s.graph.exprs[s.Average().value] = {Literal{}, ScalarType::Int, {}};
  });
  Expect("let has another type", [](Sample& s) { s.Average().lets[0].type = ScalarType::Float; });
  Expect("result of a test",
         [](Sample& s) { std::get<Binary>(s.ValueOf(s.Average()).node).op = BinaryOp::Less; });
  Expect("type that it does not have",
         [](Sample& s) { std::get<Binary>(s.ValueOf(s.Average()).node).op = BinaryOp::BitAnd; });
  Expect("type that it does not have",
         [](Sample& s) { std::get<Binary>(s.ValueOf(s.Average()).node).op = BinaryOp::Mod; });
  Expect("sqrt has 2 arguments", [](Sample& s) {
    const auto binary = std::get<Binary>(s.ValueOf(s.Average()).node);
    s.ValueOf(s.Average()).node = Call{Function::Sqrt, {binary.lhs, binary.rhs}};
  });
  Expect("condition is not a bool", [](Sample& s) {
    const auto binary = std::get<Binary>(s.ValueOf(s.Average()).node);
    s.ValueOf(s.Average()).node = Conditional{binary.lhs, binary.lhs, binary.rhs};
  });
  Expect("from 0 to 64", [](Sample& s) {
    auto& binary = std::get<Binary>(s.ValueOf(s.Average()).node);
    binary.op = BinaryOp::Power;
    s.graph.exprs[binary.rhs] = {Literal{0, 65}, ScalarType::Int, {}};
  });
  Expect("iterator is not an int", [](Sample& s) { s.ValueOf(s.Average()).node = IteratorRef{0}; });
  Expect("access has another type",
         [](Sample& s) { s.graph.arrays[ArrayId{0}].type = ScalarType::Float; });
}

TEST_CASE("broken domains", "[verify]") {
  Expect("bounded on both sides", [](Sample& s) { s.Average().domain.intervals[0].upper.clear(); });
  Expect("lacks iterator j", [](Sample& s) { s.Average().target[0] = At(1); });
  Expect("writes out outside dimension 1", [](Sample& s) { s.Inner().target[0] = At(0, 1); });
  Expect("writes out outside dimension 2", [](Sample& s) { s.Inner().target[1] = At(1, -1); });
  const auto widen = [](Sample& s, std::size_t d) {
    s.Average().domain.intervals[d] = s.Inner().domain.intervals[d];
  };
  Expect("reads in outside dimension 1", [&](Sample& s) { widen(s, 0); });
  Expect("accumulation group", [](Sample& s) {
    Operator& op = s.Average();
    Operator& scalar = std::get<Operator>(s.graph.nodes[s.scalar]);
    scalar.group = op.group;
    scalar.call = op.call;
  });
  Sample sample = Make();
  widen(sample, 1);  // the average has no offset along i
  CHECK(Verify(sample.graph) == std::vector<std::string>{});
}

TEST_CASE("what cannot be proved either way is no problem", "[verify]") {
  GraphBuilder b({"i"});
  const LinearForm m = b.Parameter("M");
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {m}).CopyIn();
  const ArrayHandle v = b.Array("v", {n}).CopyOut();
  b.Assign(v, {{0, n - 1}}, u(0));
  CHECK(Verify(b.Finish()) == std::vector<std::string>{});
}

TEST_CASE("reads that a condition guards and boundary modes may lie outside", "[verify]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {4}).CopyIn();
  const ArrayHandle v = b.Array("v", {4}).CopyOut();
  const Ex first = b.Binary(BinaryOp::Equal, b.Iterator(0), b.Number(0, ScalarType::Int));
  const Ex wrapped = b.Read(u, {At(0, 1)}, {{BoundaryKind::Wrap}});
  b.Assign(v, {{0, 3}}, b.Choose(first, b.Number(0), u(-1)) + wrapped);
  CHECK(Verify(b.Finish()) == std::vector<std::string>{});
}

}  // namespace
}  // namespace stencilgen::graph
