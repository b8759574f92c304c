#include "passes/share_values.h"

#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "support/catch.h"
#include "support/graph_of_text.h"
#include "support/statement_texts.h"

// Which values become arrays, and which do not.
namespace stencilgen::passes {
namespace {

using testing::GraphOf;
using testing::StatementTexts;

using Texts = std::vector<std::string>;

/// A stencil on `u`, `v` and `w`, with what stands between its declarations and its calls.
std::string Program(const std::string& body, const std::string& before = "",
                    const std::string& call = "f (w, u, v, g);") {
  return "parameter M, N;\niterator j, i;\ndouble u[M,N], v[M,N], w[M,N], g;\n"
         "copyin u, v, w, g;\n" +
         before + "stencil f (w, u, v, g) {\n" + body + "\n}\n" + call + "\ncopyout w;\n";
}

Texts Shared(const std::string& text, std::int64_t least = 1) {
  const SharedValues shared = ShareValues(GraphOf(text), least);
  return StatementTexts(shared.graph, shared.graph.root);
}

Texts ArraysOf(const std::string& text, std::int64_t least = 1) {
  return ShareValues(GraphOf(text), least).arrays;
}

}  // namespace

TEST_CASE("a value of two points becomes an array") {
  CHECK(Shared(Program("w[j][i] = u[j][i-1]/v[j][i-1] - u[j][i+1]/v[j][i+1];")) ==
        Texts{"common1_0 = u[j][i]/v[j][i]", "w = common1_0[j][i - 1] - common1_0[j][i + 1]"});
}

TEST_CASE("what surrounds a value comes along where it has no other use") {
  CHECK(Shared(Program("w[j][i] = (1.0 - g*sqrt(u[j][i])) * (1.0 - g*sqrt(u[j-1][i]));")) ==
        Texts{"common1_0 = 1.0 - g*sqrt(u[j][i])", "w = common1_0[j][i]*common1_0[j - 1][i]"});
  // The root alone is what both have in common.
  CHECK(Shared(Program("w[j][i] = (1.0 - sqrt(u[j][i])) * (2.0 - sqrt(u[j-1][i]));")) ==
        Texts{"common1_0 = sqrt(u[j][i])",
              "w = (1.0 - common1_0[j][i])*(2.0 - common1_0[j - 1][i])"});
}

TEST_CASE("locals do not hide a value") {
  CHECK(Shared(Program("double a = u[j-1][i]/v[j-1][i];\ndouble b = u[j][i]/v[j][i];\n"
                       "w[j][i] = a*a + b;")) ==
        Texts{"common1_0 = u[j][i]/v[j][i]", "w = a*a + b"});
}

TEST_CASE("elements keep their distances") {
  CHECK(
      Shared(Program("w[j][i] = exp(u[j][i+1] - v[j][i-1]) + exp(u[j][i] - v[j][i-2]);")) ==
      Texts{"common1_0 = exp(u[j][i] - v[j][i - 2])", "w = common1_0[j][i + 1] + common1_0[j][i]"});
  CHECK(ArraysOf(Program("w[j][i] = exp(u[j][i+1] - v[j][i-1]) + exp(u[j][i] - v[j][i-1]);"))
            .empty());
}

TEST_CASE("values are told apart by what they read") {
  CHECK(ArraysOf(Program("w[j][i] = sqrt(u[j][i]) + sqrt(v[j][i-1]);")).empty());
  CHECK(ArraysOf(Program("w[j][i] = sqrt(u[j][i]) + sqrt(u[j][i]);")).empty());
  // The second call reads what the first has written.
  CHECK(ArraysOf(Program("w[j][i] = sqrt(u[j][i]);", "",
                         "f (v, u, v, g);\n[1:M-1, 0:N-1] : f (w, v, u, g);"))
            .empty());
  CHECK(ArraysOf(Program("w[j][i] = u[j][i]/g + u[j][i-1]/g;")).empty());
  CHECK(ArraysOf(Program("w[j][i] = u[j][i]*v[j][i] + u[j][i-1]*v[j][i-1];")).empty());
  CHECK(ArraysOf(Program("w[j][i] = sqrt(u[j][i] + i) + sqrt(u[j][i-1] + i);")).empty());
}

TEST_CASE("what a condition may save is not counted") {
  CHECK(ArraysOf(Program("w[j][i] = g > 0.5 ? sqrt(u[j][i]) : sqrt(u[j][i-1]);")).empty());
  CHECK(Shared(Program("w[j][i] = g > sqrt(u[j][i+1]) ? sqrt(u[j][i]) : 2.0*sqrt(u[j][i-1]);\n"
                       "w[j][i] += sqrt(u[j][i]);"))
            .front() == "common1_0 = sqrt(u[j][i])");
}

TEST_CASE("boundary modes are those of the array") {
  const std::string body = "w[j][i] = sqrt(u[j][i-1]) - sqrt(u[j][i+1]);";
  for (const std::string mode : {"clamp", "mirror", "mirror101", "wrap"}) {
    CHECK(Shared(Program(body, "boundary u = " + mode + ";\n")) ==
          Texts{"common1_0 = sqrt(u[j][i])",
                "w = common1_0[j][" + mode + ": i - 1] - " + "common1_0[j][" + mode + ": i + 1]"});
  }
  CHECK(ArraysOf(Program(body, "boundary u = constant(0.0);\n")).empty());
  CHECK(ArraysOf(Program(body, "boundary u = extrapolate;\n")).empty());
  // Two elements wrap around together; a clamped one has no neighbour outside.
  const std::string two = "w[j][i] = sqrt(u[j][i-1] + u[j][i]) - sqrt(u[j][i] + u[j][i+1]);";
  CHECK(ArraysOf(Program(two, "boundary u = wrap;\n")) == Texts{"common1_0"});
  CHECK(ArraysOf(Program(two, "boundary u = clamp;\n")).empty());
  CHECK(ArraysOf(Program(two)) == Texts{"common1_0"});
}

TEST_CASE("an array must save enough") {
  const std::string text = Program("w[j][i] = exp(u[j][i]) - exp(u[j][i-1]);");
  CHECK(ArraysOf(text, 3) == Texts{"common1_0"});
  CHECK(ArraysOf(text, 4).empty());
}

TEST_CASE("domains must have constant distances") {
  const std::string body = "w[j][i] = sqrt(u[j][i]) + v[j][i];";
  CHECK(ArraysOf(Program(body, "",
                         "[1:M-2, 1:N-2] : f (w, u, v, g);\n"
                         "[0:M-3, 1:N-2] : f (v, u, w, g);"))
            .empty());  // the same element of both
  const std::string moved = "w[j][i] = sqrt(u[j][i-1]) - sqrt(u[j][i]);";
  const auto arrays = ShareValues(GraphOf(Program(moved, "",
                                                  "[1:M-2, 1:N-2] : f (w, u, v, g);\n"
                                                  "[0:0, 1:N-2] : f (w, u, v, g);")),
                                  1);
  CHECK(StatementTexts(arrays.graph, arrays.graph.root) ==
        Texts{"common1_0 = sqrt(u[j][i])", "w = common1_0[j][i - 1] - common1_0[j][i]",
              "w = sqrt(u[j][i - 1]) - sqrt(u[j][i])"});
}

}  // namespace stencilgen::passes
