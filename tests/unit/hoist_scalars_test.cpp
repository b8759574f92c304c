#include "passes/hoist_scalars.h"

#include <string>
#include <vector>

#include "graph/verify.h"
#include "support/catch.h"
#include "support/graph_of_text.h"

// Which scalars leave the loops that compute them.
namespace stencilgen::passes {
namespace {

using testing::GraphOf;
using Texts = std::vector<std::string>;

/// Stencils on `u`, `v` and scalars, called in the way that `calls` says.
std::string Program(const std::string& stencils, const std::string& calls) {
  return "parameter N=100, T=5;\niterator i;\ndouble u[N], v[N], a, b, c, d;\n"
         "copyin u, v, a, b, c, d;\n" +
         stencils + "stencil step (v, u) { v[i] = c*u[i-1] + d*u[i+1]; }\n" + calls +
         "\ncopyout u, v;\n";
}

/// The statements of a region by the array they define, and of its loops in brackets.
std::string Order(const graph::Graph& graph, graph::RegionId region) {
  std::string text;
  for (const graph::NodeId id : graph.regions[region].nodes) {
    if (!text.empty()) text += ' ';
    if (const auto* loop = std::get_if<graph::Loop>(&graph.nodes[id])) {
      text += '(' + Order(graph, loop->body) + ')';
    } else {
      const auto& op = std::get<graph::Operator>(graph.nodes[id]);
      text += graph.arrays[graph.versions[op.result].array].name;
    }
  }
  return text;
}

std::string Hoisted(const std::string& text) {
  const graph::Graph graph = HoistScalars(GraphOf(text));
  REQUIRE(graph::Verify(graph) == Texts());
  return Order(graph, graph.root);
}

constexpr const char* kSetC = "stencil set_c () { c = a*b; }\n";

}  // namespace

TEST_CASE("a scalar that each turn computes anew from the same is computed before the loop") {
  const std::string text = Program(kSetC, "iterate T { set_c (); step (v, u); step (u, v); }");
  CHECK(Order(GraphOf(text), GraphOf(text).root) == "(c v u)");
  CHECK(Hoisted(text) == "c (v u)");
}

TEST_CASE("so are those that need each other, out of several loops") {
  CHECK(Hoisted(Program("stencil set (u) { c = a*b; d = c + 1.0; }\n",
                        "iterate T { iterate 3 { set (u); step (v, u); step (u, v); } }")) ==
        "c d ((v u))");
  CHECK(Hoisted(Program(kSetC, "iterate T { set_c (); step (v, u); set_c (); step (u, v); }")) ==
        "c c (v u)");
}

TEST_CASE("scalars that turns change, or that they tell apart, stay") {
  // Of its own value, and of one that is set behind its use.
  CHECK(Hoisted(Program("stencil set () { c = 0.5*c; }\n",
                        "iterate T { set (); step (v, u); step (u, v); }")) == "(c v u)");
  CHECK(Hoisted(Program(kSetC, "iterate T { step (v, u); step (u, v); set_c (); }")) == "(v u c)");
  // Of the number of the turn: out of the inner loop only.
  CHECK(Hoisted("parameter N=100, T=5;\niterator i;\ndouble u[N], v[N], a, c;\ncopyin u, v, a;\n"
                "stencil set (a) { c = a*t; }\nstencil step (v, u) { v[i] = c*u[i-1]; }\n"
                "iterate t : T { iterate 3 { set (a); step (v, u); step (u, v); } }\n"
                "copyout u, v;\n") == "(c (v u))");
  // Sums of points.
  CHECK(Hoisted(
            Program("stencil set (v) { c = sum(v[i]); }\n", "iterate T { set (v); step (u, u); }"))
            .find("(u)") == std::string::npos);
}

}  // namespace stencilgen::passes
