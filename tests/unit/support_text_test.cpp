#include <string>

#include "support/catch.h"
#include "support/code_writer.h"
#include "support/functions.h"
#include "support/operators.h"
#include "support/text_template.h"

namespace stencilgen {
namespace {

TEST_CASE("code writer: blocks indent and close themselves") {
  CodeWriter writer;
  writer.Line("int x = {};", 3);
  {
    const auto outer = writer.Block("for (int i = 0; i < {}; ++i)", 4);
    const auto inner = writer.OpenBlock("do", "} while (false);");
    writer.Line("f({});", "i");
    writer.Line();
  }
  writer.Text("a\n\n  b\n");
  CHECK(writer.str() ==
        "int x = 3;\n"
        "for (int i = 0; i < 4; ++i) {\n"
        "  do {\n"
        "    f(i);\n"
        "\n"
        "  } while (false);\n"
        "}\n"
        "a\n"
        "\n"
        "  b\n");
}

TEST_CASE("code writer: a block without a head") {
  CodeWriter writer;
  { const auto block = writer.Block(""); }
  CHECK(writer.str() == "{\n}\n");
}

TEST_CASE("templates: holes inside lines") {
  CHECK(FillTemplate("int @{name}(@{args});\n", {{"name", "f"}, {"args", "int x"}}) ==
        "int f(int x);\n");
  CHECK(FillTemplate("@{a}@{b}x@{a}", {{"a", "1"}, {"b", ""}}) == "1x1\n");
}

TEST_CASE("templates: a hole alone on its line keeps its indentation") {
  CHECK(FillTemplate("{\n  @{body}\n}\n", {{"body", "a;\n\nb;\n"}}) == "{\n  a;\n\n  b;\n}\n");
  CHECK(FillTemplate("{\n  @{body}\n}\n", {{"body", "a;"}}) == "{\n  a;\n}\n");
  CHECK(FillTemplate("{\n  @{body}\n}\n", {{"body", ""}}) == "{\n}\n");
}

TEST_CASE("operators and functions have their spellings") {
  CHECK(ToString(BinaryOp::Or) == "||");
  CHECK(ToString(BinaryOp::Power) == "^");
  CHECK(ToString(BinaryOp::NotEqual) == "!=");
  CHECK(ToString(AssignOp::Or) == "|=");
  CHECK(UpdateOperator(AssignOp::Div) == BinaryOp::Div);
  CHECK(UpdateOperator(AssignOp::Or) == BinaryOp::BitOr);
  CHECK(Precedence(BinaryOp::Power) > kUnaryPrecedence);
  CHECK(Precedence(BinaryOp::Mul) < kUnaryPrecedence);
  CHECK(Precedence(BinaryOp::Add) < Precedence(BinaryOp::Mod));
  for (const FunctionInfo& info : AllFunctions()) {
    CHECK(FindFunction(info.name) == info.function);
    CHECK(&Info(info.function) == &info);
  }
  CHECK(Info(Function::Fma).arity == 3);
  CHECK_FALSE(FindFunction("sine"));
}

}  // namespace
}  // namespace stencilgen
