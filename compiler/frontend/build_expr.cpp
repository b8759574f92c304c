#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "frontend/build_ast.h"
#include "frontend/parse.h"
#include "support/check.h"

namespace stencilgen::frontend {
namespace {

using idsl_grammar::IdslParser;

constexpr DiagnosticKind<std::string_view> kLiteralOverflow{
    "literal-overflow", Severity::Error, "the literal '{}' is too large for its type"};
constexpr DiagnosticKind<int> kExpressionTooDeep{
    "expression-too-deep", Severity::Error,
    "the expression has more than {} operations in one chain"};

BinaryOp BinaryOperator(std::size_t token_type) {
  switch (token_type) {
    case IdslParser::PLUS:
      return BinaryOp::Add;
    case IdslParser::MINUS:
      return BinaryOp::Sub;
    case IdslParser::STAR:
      return BinaryOp::Mul;
    case IdslParser::SLASH:
      return BinaryOp::Div;
    case IdslParser::PERCENT:
      return BinaryOp::Mod;
    case IdslParser::LESS:
      return BinaryOp::Less;
    case IdslParser::LESS_EQUAL:
      return BinaryOp::LessEqual;
    case IdslParser::GREATER:
      return BinaryOp::Greater;
    case IdslParser::GREATER_EQUAL:
      return BinaryOp::GreaterEqual;
    case IdslParser::EQUAL:
      return BinaryOp::Equal;
    case IdslParser::NOT_EQUAL:
      return BinaryOp::NotEqual;
    case IdslParser::AND:
      return BinaryOp::BitAnd;
    case IdslParser::OR:
      return BinaryOp::BitOr;
    case IdslParser::AND_AND:
      return BinaryOp::And;
    case IdslParser::OR_OR:
      return BinaryOp::Or;
    default:
      break;
  }
  STENCILGEN_CHECK(!"a binary operator of the grammar");
  return BinaryOp::Add;
}

UnaryOp UnaryOperator(std::size_t token_type) {
  if (token_type == IdslParser::NOT) return UnaryOp::Not;
  return token_type == IdslParser::MINUS ? UnaryOp::Negate : UnaryOp::Plus;
}

// The generated accessors search the children by dynamic type, too slow for expressions; the
// grammar says which child is what.

/// Requires: that child is a token.
const antlr4::Token* TokenAt(antlr4::ParserRuleContext* context, std::size_t index) {
  return static_cast<antlr4::tree::TerminalNode*>(context->children[index])->getSymbol();
}

bool IsSign(antlr4::tree::ParseTree* child) {
  return dynamic_cast<antlr4::tree::TerminalNode*>(child) != nullptr;
}

/// Requires: that child was made by the rule of `Context`.
template <typename Context>
Context* RuleAt(antlr4::ParserRuleContext* context, std::size_t index) {
  return static_cast<Context*>(context->children[index]);
}

}  // namespace

std::string_view ExprBuilder::TextOf(const antlr4::Token* token) const {
  const Span span = SpanOf(token);
  return text_.substr(span.begin, span.end - span.begin);
}

ast::Name ExprBuilder::NameOf(IdslParser::NameContext* context) const {
  return {std::string(TextOf(context->start)), SpanOf(context->start)};
}

ast::ExprId ExprBuilder::Add(ast::Expr expr, std::span<const ast::ExprId> children) {
  int depth = 1;
  for (const ast::ExprId child : children) depth = std::max(depth, depths_[child.index] + 1);
  if (depth > kMaxExpressionDepth) {
    const bool first = std::all_of(children.begin(), children.end(), [&](ast::ExprId child) {
      return depths_[child.index] <= kMaxExpressionDepth;
    });
    if (first) {
      sink_->Report(expr.span, kExpressionTooDeep, kMaxExpressionDepth)
          .Hint("split the statement in several, with scalars for the parts");
    }
    depth = kMaxExpressionDepth + 1;  // stays there, so that only the first is reported
  }
  depths_.push_back(depth);
  return program_->exprs.Add(std::move(expr));
}

ast::ExprId ExprBuilder::AddBinary(BinaryOp op, ast::ExprId lhs, ast::ExprId rhs) {
  const Span span = Cover(program_->exprs[lhs].span, program_->exprs[rhs].span);
  return Add({ast::Binary{op, lhs, rhs}, span}, std::array{lhs, rhs});
}

ast::ExprId ExprBuilder::Build(IdslParser::ExprContext* context) {
  if (context->children.size() == 1)
    return Operation(RuleAt<IdslParser::OperationContext>(context, 0));
  // operation ? expr : operation ? expr : operation, every second child a token
  std::vector<ast::ExprId> parts;
  for (std::size_t i = 0; i < context->children.size(); i += 2) {
    const bool chosen = i % 4 == 2;
    parts.push_back(chosen ? Build(RuleAt<IdslParser::ExprContext>(context, i))
                           : Operation(RuleAt<IdslParser::OperationContext>(context, i)));
  }
  ast::ExprId result = parts.back();
  for (std::size_t i = parts.size() - 1; i >= 2; i -= 2) {
    const std::array children = {parts[i - 2], parts[i - 1], result};
    const Span span = Cover(program_->exprs[children[0]].span, program_->exprs[result].span);
    result = Add({ast::Conditional{children[0], children[1], result}, span}, children);
  }
  return result;
}

ast::ExprId ExprBuilder::Operation(IdslParser::OperationContext* context) {
  const auto factor = [&](std::size_t i) {
    return Factor(RuleAt<IdslParser::FactorContext>(context, i));
  };
  if (context->children.size() == 1) return factor(0);
  std::vector<ast::ExprId> values = {factor(0)};
  std::vector<BinaryOp> pending;
  const auto reduce = [&] {
    const ast::ExprId rhs = values.back();
    values.pop_back();
    values.back() = AddBinary(pending.back(), values.back(), rhs);
    pending.pop_back();
  };
  for (std::size_t i = 1; i < context->children.size(); i += 2) {
    const BinaryOp op = BinaryOperator(TokenAt(context, i)->getType());
    while (!pending.empty() && Precedence(pending.back()) >= Precedence(op)) reduce();
    pending.push_back(op);
    values.push_back(factor(i + 1));
  }
  while (!pending.empty()) reduce();
  return values[0];
}

ast::ExprId ExprBuilder::Signed(antlr4::ParserRuleContext* context, std::size_t sign_count,
                                ast::ExprId operand) {
  for (std::size_t i = sign_count; i-- > 0;) {
    const antlr4::Token* sign = TokenAt(context, i);
    const Span span = Cover(SpanOf(sign), program_->exprs[operand].span);
    operand = Add({ast::Unary{UnaryOperator(sign->getType()), operand}, span}, std::array{operand});
  }
  return operand;
}

ast::ExprId ExprBuilder::Factor(IdslParser::FactorContext* context) {
  std::size_t sign_count = 0;
  while (IsSign(context->children[sign_count])) ++sign_count;
  std::vector<ast::ExprId> bases = {
      Primary(RuleAt<IdslParser::PrimaryContext>(context, sign_count))};
  std::vector<IdslParser::ExponentContext*> exponents;
  for (std::size_t i = sign_count + 2; i < context->children.size(); i += 2) {
    exponents.push_back(RuleAt<IdslParser::ExponentContext>(context, i));
    bases.push_back(Primary(RuleAt<IdslParser::PrimaryContext>(
        exponents.back(), exponents.back()->children.size() - 1)));
  }
  ast::ExprId result = bases.back();
  for (std::size_t i = exponents.size(); i > 0; --i) {
    IdslParser::ExponentContext* exponent = exponents[i - 1];
    result = AddBinary(BinaryOp::Power, bases[i - 1],
                       Signed(exponent, exponent->children.size() - 1, result));
  }
  return Signed(context, sign_count, result);
}

std::vector<ast::ExprId> ExprBuilder::Build(IdslParser::ArgumentsContext* context) {
  std::vector<ast::ExprId> values;
  for (IdslParser::ExprContext* argument : context->expr()) values.push_back(Build(argument));
  return values;
}

std::vector<ast::ExprId> ExprBuilder::Build(
    const std::vector<IdslParser::SubscriptContext*>& subscripts) {
  std::vector<ast::ExprId> values;
  for (IdslParser::SubscriptContext* subscript : subscripts) {
    for (IdslParser::ExprContext* index : subscript->expr()) values.push_back(Build(index));
  }
  return values;
}

ast::ExprId ExprBuilder::Reference(ast::Name name, std::vector<ast::ExprId> indices, Span span) {
  if (indices.empty()) return Add({ast::NameRef{std::move(name.text)}, span}, {});
  std::vector<ast::ExprId> children = indices;
  return Add({ast::Access{std::move(name), std::move(indices)}, span}, children);
}

ast::ExprId ExprBuilder::Primary(IdslParser::PrimaryContext* context) {
  switch (context->start->getType()) {
    case IdslParser::INTEGER:
      return Integer(context->start);
    case IdslParser::FLOATING:
    case IdslParser::IMAGINARY:
      return Floating(context->start);
    case IdslParser::LPAREN: {
      const ast::ExprId inner = Build(RuleAt<IdslParser::ExprContext>(context, 1));
      program_->exprs[inner].span = SpanOf(context);
      return inner;
    }
    default:
      break;
  }
  ast::Name name = NameOf(RuleAt<IdslParser::NameContext>(context, 0));
  const Span span = SpanOf(context);
  if (context->children.size() == 1) return Reference(std::move(name), {}, span);
  if (IdslParser::ArgumentsContext* arguments = context->arguments()) {
    std::vector<ast::ExprId> values = Build(arguments);
    return Add({ast::Call{std::move(name), values}, span}, values);
  }
  return Reference(std::move(name), Build(context->subscript()), span);
}

ast::ExprId ExprBuilder::Integer(const antlr4::Token* token) {
  const std::string_view digits = TextOf(token);
  ast::IntLiteral literal;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), literal.value).ec !=
      std::errc()) {
    sink_->Report(SpanOf(token), kLiteralOverflow, digits)
        .Hint("the largest integer is 9223372036854775807; write '.0' after it for a double");
  }
  return Add({literal, SpanOf(token)}, {});
}

ast::ExprId ExprBuilder::Floating(const antlr4::Token* token) {
  std::string digits(TextOf(token));
  ast::FloatLiteral literal;
  literal.imaginary = digits.back() == 'i';
  if (literal.imaginary) digits.pop_back();
  literal.single = digits.back() == 'f';
  if (literal.single) digits.pop_back();
  // strtod, unlike from_chars, tells too small (a zero or denormal, fine) from too large.
  literal.value = std::strtod(digits.c_str(), nullptr);
  const bool overflow =
      literal.single ? std::isinf(static_cast<float>(literal.value)) : std::isinf(literal.value);
  if (overflow) {
    literal.value = 0;
    sink_->Report(SpanOf(token), kLiteralOverflow, TextOf(token))
        .Hint(literal.single ? "the largest float is about 3.4e38"
                             : "the largest double is about 1.8e308");
  }
  return Add({literal, SpanOf(token)}, {});
}

}  // namespace stencilgen::frontend
