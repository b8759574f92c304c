#include <string>

#include "ast/print.h"
#include "support/catch.h"
#include "support/match.h"
#include "support/parse_text.h"

namespace stencilgen {
namespace {

using testing::Parsed;

/// The tree with every operation in parentheses, in prefix form.
std::string Tree(const ast::Program& program, ast::ExprId id) {
  const auto list = [&](std::string text, const std::vector<ast::ExprId>& operands) {
    for (const ast::ExprId operand : operands) text.append(" ").append(Tree(program, operand));
    return fmt::format("({})", text);
  };
  return Match(
      program.exprs[id].node,
      [&](const ast::Unary& unary) {
        return list(std::string(ToString(unary.op)), {unary.operand});
      },
      [&](const ast::Binary& binary) {
        return list(std::string(ToString(binary.op)), {binary.lhs, binary.rhs});
      },
      [&](const ast::Conditional& choice) {
        return list("?", {choice.condition, choice.then_value, choice.else_value});
      },
      [&](const ast::Call& call) { return list(call.function.text, call.arguments); },
      [&](const ast::Access& access) { return list("@" + access.name.text, access.indices); },
      [&](const auto&) { return ast::PrintExpr(program, id); });
}

std::string TreeOf(const std::string& expression) {
  const Parsed parsed(testing::ProgramWith(expression));
  INFO(expression << "\n" << parsed.Messages());
  REQUIRE(parsed.program);
  return Tree(*parsed.program, testing::ValueOf(*parsed.program));
}

TEST_CASE("operators bind as in C") {
  CHECK(TreeOf("a + b*c") == "(+ a (* b c))");
  CHECK(TreeOf("a - b - c") == "(- (- a b) c)");
  CHECK(TreeOf("a / b * c % d") == "(% (* (/ a b) c) d)");
  CHECK(TreeOf("a + b < c - d") == "(< (+ a b) (- c d))");
  CHECK(TreeOf("a < b == c >= d") == "(== (< a b) (>= c d))");
  CHECK(TreeOf("a == b & c != d") == "(& (== a b) (!= c d))");
  CHECK(TreeOf("a | b & c") == "(| a (& b c))");
  CHECK(TreeOf("a || b && c | d") == "(|| a (&& b (| c d)))");
  CHECK(TreeOf("a && b || c && d") == "(|| (&& a b) (&& c d))");
  CHECK(TreeOf("(a + b)*c") == "(* (+ a b) c)");
  CHECK(TreeOf("a - (b - c)") == "(- a (- b c))");
}

TEST_CASE("signs") {
  CHECK(TreeOf("-a*b") == "(* (- a) b)");
  CHECK(TreeOf("a*-b") == "(* a (- b))");
  CHECK(TreeOf("a--b") == "(- a (- b))");
  CHECK(TreeOf("- -+!a") == "(- (- (+ (! a))))");
  CHECK(TreeOf("!a == b") == "(== (! a) b)");
}

TEST_CASE("the power binds tightest, to the right, and takes signs in its exponent") {
  CHECK(TreeOf("-a^2") == "(- (^ a 2))");
  CHECK(TreeOf("(-a)^2") == "(^ (- a) 2)");
  CHECK(TreeOf("a^b^c") == "(^ a (^ b c))");
  CHECK(TreeOf("2^-1") == "(^ 2 (- 1))");
  CHECK(TreeOf("a^-b^c") == "(^ a (- (^ b c)))");
  CHECK(TreeOf("a^- -b^-c*d") == "(* (^ a (- (- (^ b (- c))))) d)");
  CHECK(TreeOf("a*b^c") == "(* a (^ b c))");
  CHECK(TreeOf("A[i]^f(x)") == "(^ (@A i) (f x))");
}

TEST_CASE("conditionals associate to the right") {
  CHECK(TreeOf("a ? b : c ? d : e") == "(? a b (? c d e))");
  CHECK(TreeOf("a ? b ? c : d : e") == "(? a (? b c d) e)");
  CHECK(TreeOf("a < b ? -c : d + e") == "(? (< a b) (- c) (+ d e))");
  CHECK(TreeOf("(a ? b : c) ? d : e") == "(? (? a b c) d e)");
}

TEST_CASE("accesses and calls") {
  CHECK(TreeOf("A[j][i]") == "(@A j i)");
  CHECK(TreeOf("A[j,i]") == "(@A j i)");
  CHECK(TreeOf("A[k][j,i]") == "(@A k j i)");
  CHECK(TreeOf("A[2*i-1]") == "(@A (- (* 2 i) 1))");
  CHECK(TreeOf("f()") == "(f)");
  CHECK(TreeOf("max(a, min(b, c))") == "(max a (min b c))");
}

TEST_CASE("literals") {
  const auto literal = [](const std::string& text) {
    Parsed parsed(testing::ProgramWith(text));
    INFO(text << "\n" << parsed.Messages());
    REQUIRE(parsed.program);
    return parsed.program->exprs[testing::ValueOf(*parsed.program)].node;
  };
  CHECK(std::get<ast::IntLiteral>(literal("1")).value == 1);
  CHECK(std::get<ast::IntLiteral>(literal("007")).value == 7);
  CHECK(std::get<ast::IntLiteral>(literal("9223372036854775807")).value == INT64_MAX);
  const auto floating = [&](const std::string& text) {
    return std::get<ast::FloatLiteral>(literal(text));
  };
  CHECK(floating("1.0").value == 1.0);
  CHECK(floating(".5").value == 0.5);
  CHECK(floating("5.").value == 5.0);
  CHECK(floating("1e-20").value == 1e-20);
  CHECK(floating("1.5E+3").value == 1500.0);
  CHECK(floating("1e-400").value == 0.0);
  CHECK_FALSE(floating("2.5").single);
  CHECK(floating("2.5f").single);
  CHECK(floating("2f").single);
  CHECK(floating("5.f").value == 5.0);
  CHECK(floating(".5e1f").value == 5.0);
}

TEST_CASE("spans cover what was written") {
  const std::string text = testing::ProgramWith("a + (b*c) - f(d)");
  const Parsed parsed(text);
  REQUIRE(parsed.program);
  const auto written = [&](ast::ExprId id) {
    const Span span = parsed.program->exprs[id].span;
    return text.substr(span.begin, span.end - span.begin);
  };
  const ast::ExprId value = testing::ValueOf(*parsed.program);
  CHECK(written(value) == "a + (b*c) - f(d)");
  const auto& difference = std::get<ast::Binary>(parsed.program->exprs[value].node);
  CHECK(written(difference.lhs) == "a + (b*c)");
  CHECK(written(difference.rhs) == "f(d)");
  const auto& sum = std::get<ast::Binary>(parsed.program->exprs[difference.lhs].node);
  CHECK(written(sum.rhs) == "(b*c)");
}

}  // namespace
}  // namespace stencilgen
