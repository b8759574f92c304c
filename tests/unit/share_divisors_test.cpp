#include "passes/share_divisors.h"

#include <string>
#include <vector>

#include "graph/print_expr.h"
#include "graph/verify.h"
#include "support/catch.h"
#include "support/graph_of_text.h"

// Which divisions become products, and with what.
namespace stencilgen::passes {
namespace {

using testing::GraphOf;
using Texts = std::vector<std::string>;

/// The only operator of a stencil with that body: its lets and its value.
Texts Shared(const std::string& body) {
  const graph::Graph graph = ShareDivisors(
      GraphOf("parameter M=20, N=30;\niterator j, i;\n"
              "double u[M,N], v[M,N], w[M,N], x[N], y[M], a, dx;\nfloat f[M,N];\n"
              "copyin u, v, w, x, y, f, a, dx;\nstencil s (v, u, w, x, y, f, a, dx) {\n" +
              body + "\n}\ns (v, u, w, x, y, f, a, dx);\ncopyout v;\n"));
  REQUIRE(graph::Verify(graph) == Texts());
  const std::vector<std::string> parameters = graph::ParameterNames(graph);
  Texts names, texts;
  for (const graph::Version& version : graph.versions) {
    names.push_back(graph.arrays[version.array].name);
  }
  const auto& op = std::get<graph::Operator>(graph.nodes[graph.regions[graph.root].nodes.back()]);
  const graph::ExprPrinter printer(graph, op, parameters, names);
  for (const graph::Let& let : op.lets) {
    texts.push_back(let.name + " = " + printer.Print(let.value));
  }
  texts.push_back(printer.Print(op.value));
  return texts;
}

}  // namespace

TEST_CASE("what all points or all points of a row divide by is divided by once") {
  CHECK(Shared("v[j][i] = (u[j][i+1] - u[j][i-1])/(2.0*dx);") ==
        Texts{"inverse = 1.0/(2.0*dx)", "(u[j][i + 1] - u[j][i - 1])*inverse"});
  CHECK(Shared("v[j][i] = 1.0/dx + u[j][i]/y[j];") ==
        Texts{"inverse = 1.0/dx", "inverse_2 = 1.0/y[j]", "inverse + u[j][i]*inverse_2"});
}

TEST_CASE("what several divisions of a point have below is divided by once") {
  CHECK(Shared("v[j][i] = u[j][i]/w[j][i] + u[j][i+1]/w[j][i];") ==
        Texts{"inverse = 1.0/w[j][i]", "u[j][i]*inverse + u[j][i + 1]*inverse"});
  // Also where it is a local scalar in one place, behind whose definition it is made.
  CHECK(Shared("double d, e;\nd = w[j][i] + a;\ne = u[j][i]/d;\n"
               "v[j][i] = e + u[j][i+1]/(w[j][i] + a);") ==
        Texts{"d = w[j][i] + a", "inverse = 1.0/d", "e = u[j][i]*inverse",
              "e + u[j][i + 1]*inverse"});
}

TEST_CASE("divisions that would not save one stay") {
  CHECK(Shared("v[j][i] = u[j][i]/w[j][i] + u[j][i]/w[j][i+1];") ==
        Texts{"u[j][i]/w[j][i] + u[j][i]/w[j][i + 1]"});
  CHECK(Shared("v[j][i] = u[j][i]/x[i];") == Texts{"u[j][i]/x[i]"});
  // Literals and roots are divided by in other ways, and integers exactly.
  CHECK(Shared("v[j][i] = u[j][i]/3.0 + u[j][i+1]/3.0;") == Texts{"u[j][i]/3.0 + u[j][i + 1]/3.0"});
  CHECK(Shared("v[j][i] = u[j][i]/sqrt(w[j][i]) + u[j][i+1]/sqrt(w[j][i]);") ==
        Texts{"u[j][i]/sqrt(w[j][i]) + u[j][i + 1]/sqrt(w[j][i])"});
  // Of two types.
  CHECK(Shared("v[j][i] = u[j][i]/w[j][i] + f[j][i]/f[j][i-1];") ==
        Texts{"u[j][i]/w[j][i] + double(f[j][i]/f[j][i - 1])"});
}

TEST_CASE("what only a branch divides by is not read for it, but scalars are") {
  CHECK(Shared("v[j][i] = u[j][i] > 0.0 ? u[j][i]/w[j][i] : a/w[j][i];") ==
        Texts{"u[j][i] > 0.0 ? u[j][i]/w[j][i] : a/w[j][i]"});
  CHECK(Shared("v[j][i] = u[j][i] > 0.0 ? u[j][i]/w[j][i] : a;") ==
        Texts{"u[j][i] > 0.0 ? u[j][i]/w[j][i] : a"});
  CHECK(Shared("v[j][i] = u[j][i]/w[j][i] > 0.0 ? a/w[j][i] : a/dx;") ==
        Texts{"inverse = 1.0/w[j][i]", "inverse_2 = 1.0/dx",
              "u[j][i]*inverse > 0.0 ? a*inverse : a*inverse_2"});
}

}  // namespace stencilgen::passes
