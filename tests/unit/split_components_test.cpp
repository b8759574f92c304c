#include "passes/split_components.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "graph/verify.h"
#include "support/catch.h"
#include "support/graph_of_text.h"
#include "support/statement_texts.h"

// Which arrays are taken apart, and what the graph is then.
namespace stencilgen::passes {
namespace {

using testing::GraphOf;
using testing::StatementTexts;

using Texts = std::vector<std::string>;

/// A stencil on `u` and `v` with three components, and `w`.
std::string Program(const std::string& body, const std::string& before = "",
                    const std::string& call = "f (u, v, w);") {
  return "parameter M, N, T;\niterator c, j, i;\ndouble u[3,M,N], v[3,M,N], w[M,N];\n"
         "copyin u, v, w;\n" +
         before + "stencil f (u, v, w) {\n" + body + "\n}\n" + call + "\ncopyout u, v, w;\n";
}

/// `u[0]`, or `v` of an array that stays whole.
Texts ArraysOf(const graph::Graph& graph) {
  Texts names;
  for (const graph::Array& array : graph.arrays) {
    names.push_back(array.name + (array.component ? " of " + array.component->whole : ""));
  }
  return names;
}

graph::Graph Split(const std::string& text) {
  graph::Graph graph = SplitComponents(GraphOf(text));
  REQUIRE(graph::Verify(graph) == Texts());
  return graph;
}

/// Whether the program's first array is taken apart.
bool Splits(const std::string& text) {
  return Split(text).arrays[graph::ArrayId{0}].component.has_value();
}

const graph::Loop& LoopIn(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes) {
    if (const auto* loop = std::get_if<graph::Loop>(&node)) return *loop;
  }
  throw std::logic_error("the graph has no loop");
}

}  // namespace

TEST_CASE("components that statements write are arrays of their own") {
  const graph::Graph graph =
      Split(Program("u[0][j][i] = v[1][j][i+1];\nu[2][j][i] = u[0][j][i] + w[j][i];"));
  // Nothing writes a component of v: its parts are as good together.
  CHECK(ArraysOf(graph) == Texts{"u_0 of u", "u_1 of u", "u_2 of u", "v", "w"});
  CHECK(StatementTexts(graph, graph.root) ==
        Texts{"u_0 = v[1][j][i + 1]", "u_2 = u_0[j][i] + w[j][i]"});
  CHECK(graph.outputs.size() == 5);
  for (const graph::Output& output : graph.outputs) {
    const std::string& name = graph.arrays[output.array].name;
    const bool written = name == "u_0" || name == "u_2";
    CHECK((graph.versions[output.version].def == graph::DefKind::Operator) == written);
  }
}

TEST_CASE("a statement over all components is repeated where these are taken apart") {
  const graph::Graph graph =
      Split(Program("u[0][j][i] = w[j][i];\nv[c][j][i] = c*u[c][j][i] + v[2-c][j][i];"));
  CHECK(StatementTexts(graph, graph.root) ==
        Texts{"u_0 = w[j][i]", "v_0 = 0.0*u_0[j][i] + v_2[j][i]", "v_1 = 1.0*u_1[j][i] + v_1[j][i]",
              "v_2 = 2.0*u_2[j][i] + v_0[j][i]"});
  // All reads come before any write.
  const graph::NodeId last = graph.regions[graph.root].nodes.back();
  const auto& op = std::get<graph::Operator>(graph.nodes[last]);
  for (const graph::ExprId id : graph::Accesses(graph, op)) {
    const auto version = std::get<graph::Access>(graph.exprs[id].node).version;
    CHECK(graph.versions[version].def == graph::DefKind::Initial);
  }
}

TEST_CASE("a loop carries the components that it changes") {
  const graph::Graph graph = Split(
      Program("u[1][j][i] = 0.5*u[1][j][i-1] + u[0][j][i];", "", "iterate T { f (u, v, w); }"));
  const graph::Loop& loop = LoopIn(graph);
  REQUIRE(loop.carried.size() == 1);
  CHECK(graph.arrays[loop.carried[0].array].name == "u_1");
  CHECK(StatementTexts(graph, loop.body) == Texts{"u_1 = 0.5*u_1[j][i - 1] + u_0[j][i]"});
}

TEST_CASE("arrays that change places are taken apart together, or stay") {
  const std::string swapped = "iterate T { f (u, v, w); swap u, v; }";
  const graph::Graph graph =
      Split(Program("u[0][j][i] = v[0][j][i+1];\nu[1][j][i] = v[1][j][i-1];", "", swapped));
  CHECK(ArraysOf(graph) ==
        Texts{"u_0 of u", "u_1 of u", "u_2 of u", "v_0 of v", "v_1 of v", "v_2 of v", "w"});
  CHECK(LoopIn(graph).carried.size() == 6);
  // Of v something needs the whole.
  CHECK_FALSE(Splits(Program("int k = w[j][i];\nu[0][j][i] = v[k][j][i];",
                             "boundary v = [clamp, none, none];\n", swapped)));
}

TEST_CASE("arrays with several dimensions of components are taken apart along each") {
  const graph::Graph graph = SplitComponents(
      GraphOf("parameter N;\niterator i;\ndouble a[2,2,N];\ncopyin a;\n"
              "stencil f (a) { a[1][0][i] = a[0][1][i+1]; }\nf (a);\ncopyout a;\n"));
  CHECK(graph::Verify(graph) == Texts());
  CHECK(ArraysOf(graph) == Texts{"a_0_0 of a", "a_0_1 of a", "a_1_0 of a", "a_1_1 of a"});
  CHECK(graph.arrays[graph::ArrayId{2}].component->counts == std::vector<std::int64_t>{2, 2});
  CHECK(graph.arrays[graph::ArrayId{2}].component->number == 2);
  CHECK(StatementTexts(graph, graph.root) == Texts{"a_1_0 = a_0_1[i + 1]"});
}

TEST_CASE("modes of the dimensions that are left stay") {
  const graph::Graph graph =
      Split(Program("u[0][j][i] = v[0][j][i+1];\nv[1][j][i] = u[1][j+1][i];",
                    "boundary u = [none, clamp, none], v = [clamp, none, none];\n"));
  int open = 0;
  for (const graph::Expr& expr : graph.exprs) {
    const auto* access = std::get_if<graph::Access>(&expr.node);
    if (access == nullptr || access->boundary.empty()) continue;
    ++open;
    REQUIRE(access->boundary.size() == 2);
    CHECK(access->boundary[0].kind == graph::BoundaryKind::Clamp);
    CHECK(access->boundary[1].kind == graph::BoundaryKind::None);
  }
  CHECK(open == 1);
}

TEST_CASE("arrays that something needs whole stay whole") {
  CHECK(Splits(Program("u[0][j][i] = w[j][i];")));
  // Written as a whole only.
  CHECK_FALSE(Splits(Program("u[c][j][i] = w[j][i];")));
  // An axis of a grid, which statements read at neighbours.
  CHECK_FALSE(Splits(Program("u[c][j][i] = v[c-1][j][i] + v[c+1][j][i];\nv[0][j][i] = w[j][i];")));
  // Of nine components most are written together.
  CHECK_FALSE(
      Splits("parameter N;\niterator c, i;\ndouble u[9,N];\ncopyin u;\n"
             "stencil f (u) { u[c][i] = 2.0*u[c][i]; u[3][i] = 1.0; }\nf (u);\n"
             "copyout u;\n"));
  // Taken at a place that is computed.
  CHECK_FALSE(Splits(Program("int k = w[j][i];\nu[0][j][i] = u[k][j][i];",
                             "boundary u = [clamp, none, none];\n")));
  // Of an extent that the caller gives, of many elements, and without other dimensions.
  CHECK_FALSE(
      Splits("parameter K, N;\niterator i;\ndouble u[K,N];\ncopyin u;\n"
             "stencil f (u) { u[0][i] = 2.0*u[0][i]; }\nf (u);\ncopyout u;\n"));
  CHECK_FALSE(
      Splits("parameter N;\niterator i;\ndouble u[65,N];\ncopyin u;\n"
             "stencil f (u) { u[0][i] = 2.0*u[0][i]; }\nf (u);\ncopyout u;\n"));
  CHECK_FALSE(
      Splits("iterator i;\ndouble u[8];\ncopyin u;\n"
             "stencil f (u) { u[i] = 2.0*u[i]; }\nf (u);\ncopyout u;\n"));
}

TEST_CASE("a reduction chooses among components by conditions") {
  const graph::Graph graph = Split(
      "parameter N;\niterator c, i;\ndouble u[3,N], s;\ncopyin u;\n"
      "stencil f (u, s) { s = max(fabs(u[c][i])); u[0][i] = s; }\nf (u, s);\ncopyout u;\n");
  // Its points and their order are what they were.
  CHECK(StatementTexts(graph, graph.root)
            .front()
            .find("fabs(c == 0 ? u_0[i] : c == 1 ? u_1[i] : u_2[i])") != std::string::npos);
}

TEST_CASE("what a component's number decides is decided") {
  const graph::Graph graph = Split(Program(
      "u[0][j][i] = w[j][i];\nu[c][j][i] = c > 1 ? v[c][j][i] : c == 0 ? w[j][i] : u[c][j][i];"));
  CHECK(StatementTexts(graph, graph.root) ==
        Texts{"u_0 = w[j][i]", "u_1 = u_1[j][i]", "u_2 = v[2][j][i]"});
}

TEST_CASE("local arrays have components, too") {
  const graph::Graph graph =
      Split(Program("double t[2,M,N];\nt[0][j][i] = v[0][j][i];\nt[1][j][i] = 2.0*w[j][i];\n"
                    "w[j][i] = t[0][j][i+1] - t[1][j][i-1];"));
  CHECK(StatementTexts(graph, graph.root).back() == "w = t_0_0[j][i + 1] - t_0_1[j][i - 1]");
}

}  // namespace stencilgen::passes
