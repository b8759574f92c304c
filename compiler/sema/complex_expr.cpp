#include "sema/complex_expr.h"

#include <algorithm>
#include <utility>

#include "sema/complex_names.h"
#include "sema/messages.h"
#include "sema/reductions.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view> kComplexHere{"complex-here", Severity::Error,
                                                        "{} cannot be a complex number"};
constexpr DiagnosticKind<std::string_view> kComplexOperand{"complex-operand", Severity::Error,
                                                           "'{}' takes no complex numbers"};
constexpr DiagnosticKind<> kComplexPower{
    "complex-power", Severity::Error,
    "the exponent of a complex number is a whole number from -64 to 64"};

constexpr std::string_view kComparisonHint =
    "complex numbers have no order: compare real(z), imag(z) or abs(z)";
constexpr std::int64_t kLargestComplexPower = 64;

}  // namespace

void ComplexExprs::Enter(const std::set<std::string>* complex,
                         std::function<Parts(const Parts&, Span)> keep) {
  complex_ = complex;
  keep_ = std::move(keep);
}

ast::ExprId ComplexExprs::Add(decltype(ast::Expr::node) node, Span span) {
  return program_.exprs.Add({std::move(node), span});
}

ast::ExprId ComplexExprs::Number(double value, Span span) {
  return Add(ast::FloatLiteral{value}, span);
}

ast::ExprId ComplexExprs::Call(const char* function, std::vector<ast::ExprId> arguments,
                               Span span) {
  return Add(ast::Call{{function, span}, std::move(arguments)}, span);
}

ComplexExprs::Id ComplexExprs::Negated(Id a, Span span) {
  if (!a) return a;
  return Add(ast::Unary{UnaryOp::Negate, *a}, span);
}

ComplexExprs::Id ComplexExprs::Sum(Id a, Id b, Span span) {
  if (!a || !b) return a ? a : b;
  return Add(ast::Binary{BinaryOp::Add, *a, *b}, span);
}

ComplexExprs::Id ComplexExprs::Difference(Id a, Id b, Span span) {
  if (!b) return a;
  if (!a) return Negated(b, span);
  return Add(ast::Binary{BinaryOp::Sub, *a, *b}, span);
}

ComplexExprs::Id ComplexExprs::Times(Id a, Id b, Span span) {
  if (!a || !b) return std::nullopt;
  return Add(ast::Binary{BinaryOp::Mul, *a, *b}, span);
}

ComplexExprs::Id ComplexExprs::Over(Id a, Id b, Span span) {
  if (!a || !b) return std::nullopt;
  return Add(ast::Binary{BinaryOp::Div, *a, *b}, span);
}

bool ComplexExprs::IsPlain(ast::ExprId id) const {
  return Match(
      program_.exprs[id].node, [&](const ast::Unary& n) { return IsPlain(n.operand); },
      [](const ast::Binary&) { return false; }, [](const ast::Conditional&) { return false; },
      [](const ast::Call&) { return false; }, [](const auto&) { return true; });
}

Parts ComplexExprs::Keep(Parts z, Span span) {
  const bool plain = (!z.re || IsPlain(*z.re)) && (!z.im || IsPlain(*z.im));
  return plain || !z.HasBoth() || !keep_ ? z : keep_(z, span);
}

ast::ExprId ComplexExprs::RealOf(const Parts& z, Span span) {
  return z.re ? *z.re : Number(0.0, span);
}

ast::ExprId ComplexExprs::ImaginaryOf(const Parts& z, Span span) {
  return z.im ? *z.im : Number(0.0, span);
}

ast::ExprId ComplexExprs::Real(ast::ExprId id, std::string_view what) {
  const Parts parts = Build(id);
  if (!parts.IsComplex()) return parts.re.value_or(id);
  sink_.Report(program_.exprs[id].span, kComplexHere, what)
      .Hint(what == kCondition ? "compare it: `z != 0.0`, or `abs(z) > 1.0`"
                               : "take real(z), imag(z) or abs(z) of it");
  return id;
}

std::vector<ast::ExprId> ComplexExprs::RealIndices(const std::vector<ast::ExprId>& indices) {
  std::vector<ast::ExprId> out;
  out.reserve(indices.size());
  for (const ast::ExprId index : indices) out.push_back(Real(index, "an index"));
  return out;
}

Parts ComplexExprs::Refuse(std::string_view what, std::string_view hint, Span span) {
  sink_.Report(span, kComplexOperand, what).Hint(std::string(hint));
  return {Number(0.0, span), {}};
}

Parts ComplexExprs::Build(ast::ExprId id) {
  // Sums are long left spines: not a call for each of their operators.
  std::vector<ast::ExprId> spine{id};
  while (const auto* binary = std::get_if<ast::Binary>(&program_.exprs[spine.back()].node)) {
    spine.push_back(binary->lhs);
  }
  const ast::Expr first = program_.exprs[spine.back()];  // a copy: the store grows
  Parts value = Match(first.node,
                      [&](const auto& node) { return BuildNode(node, spine.back(), first.span); });
  for (spine.pop_back(); !spine.empty(); spine.pop_back()) {
    const ast::Expr expr = program_.exprs[spine.back()];
    value = Operation(std::get<ast::Binary>(expr.node), value, spine.back(), expr.span);
  }
  return value;
}

Parts ComplexExprs::BuildNode(const ast::Binary& /*n*/, ast::ExprId id, Span /*span*/) {
  STENCILGEN_CHECK(!"binary nodes are on the spine");
  return {id, {}};
}

Parts ComplexExprs::BuildNode(const ast::FloatLiteral& n, ast::ExprId id, Span span) {
  if (!n.imaginary) return {id, {}};
  return {{}, Add(ast::FloatLiteral{n.value, n.single}, span)};
}

Parts ComplexExprs::BuildNode(const ast::NameRef& n, ast::ExprId id, Span span) {
  if (complex_->count(n.name) == 0) return {id, {}};
  const ast::ExprId re = Add(ast::NameRef{RealPart(n.name)}, span);
  return {re, Add(ast::NameRef{ImaginaryPart(n.name)}, span)};
}

Parts ComplexExprs::BuildNode(const ast::Access& n, ast::ExprId id, Span span) {
  std::vector<ast::ExprId> indices = RealIndices(n.indices);
  const std::string& name = n.name.text;
  if (complex_->count(name) > 0) {
    const ast::ExprId re = Add(ast::Access{{RealPart(name), n.name.span}, indices}, span);
    return {re, Add(ast::Access{{ImaginaryPart(name), n.name.span}, std::move(indices)}, span)};
  }
  if (indices == n.indices) return {id, {}};
  return {Add(ast::Access{n.name, std::move(indices)}, span), {}};
}

Parts ComplexExprs::BuildNode(const ast::Unary& n, ast::ExprId id, Span span) {
  const Parts operand = Build(n.operand);
  if (!operand.IsComplex()) {
    return {operand.re == n.operand ? id : Add(ast::Unary{n.op, *operand.re}, span), {}};
  }
  if (n.op == UnaryOp::Plus) return operand;
  if (n.op == UnaryOp::Not) return Refuse("!", "compare the number: `z == 0.0`", span);
  return {Negated(operand.re, span), Negated(operand.im, span)};
}

Parts ComplexExprs::Operation(const ast::Binary& n, const Parts& a, ast::ExprId id, Span span) {
  if (n.op == BinaryOp::Power && a.IsComplex()) return Power(a, n.rhs, span);
  const Parts b = Build(n.rhs);
  if (a.IsComplex() || b.IsComplex()) return Combine(n.op, a, b, span);
  const bool same = a.re == n.lhs && b.re == n.rhs;
  return {same ? id : Add(ast::Binary{n.op, *a.re, *b.re}, span), {}};
}

Parts ComplexExprs::Combine(BinaryOp op, const Parts& a, const Parts& b, Span span) {
  switch (op) {
    case BinaryOp::Add:
      return {Sum(a.re, b.re, span), Sum(a.im, b.im, span)};
    case BinaryOp::Sub:
      return {Difference(a.re, b.re, span), Difference(a.im, b.im, span)};
    case BinaryOp::Mul:
      return Product(a, b, span);
    case BinaryOp::Div:
      return Quotient(a, b, span);
    case BinaryOp::Equal:
      return Equal(a, b, span);
    case BinaryOp::NotEqual:
      return {Add(ast::Unary{UnaryOp::Not, *Equal(a, b, span).re}, span), {}};
    case BinaryOp::Power:
      return Refuse("^", "write exp(y*log(x)) for a complex exponent y", span);
    default:
      break;
  }
  const bool logical = IsLogical(op);
  return Refuse(ToString(op),
                IsComparison(op) ? kComparisonHint
                : logical        ? "compare the number: `z != 0.0`"
                                 : "it is for whole numbers",
                span);
}

Parts ComplexExprs::Product(Parts a, Parts b, Span span) {
  if (a.HasBoth() && b.HasBoth()) {
    a = Keep(a, span);
    b = Keep(b, span);
  }
  return {Difference(Times(a.re, b.re, span), Times(a.im, b.im, span), span),
          Sum(Times(a.re, b.im, span), Times(a.im, b.re, span), span)};
}

Parts ComplexExprs::Quotient(Parts a, Parts b, Span span) {
  if (!b.im) return {Over(a.re, b.re, span), Over(a.im, b.re, span)};
  if (!b.re) return {Over(a.im, b.im, span), Negated(Over(a.re, b.im, span), span)};
  a = Keep(a, span);
  b = Keep(b, span);
  const Id scale = SquaredMagnitude(b, span);
  const Id re = Sum(Times(a.re, b.re, span), Times(a.im, b.im, span), span);
  const Id im = Difference(Times(a.im, b.re, span), Times(a.re, b.im, span), span);
  return {Over(re, scale, span), Over(im, scale, span)};
}

Parts ComplexExprs::Equal(const Parts& a, const Parts& b, Span span) {
  const ast::ExprId re = Add(ast::Binary{BinaryOp::Equal, RealOf(a, span), RealOf(b, span)}, span);
  const ast::ExprId im =
      Add(ast::Binary{BinaryOp::Equal, ImaginaryOf(a, span), ImaginaryOf(b, span)}, span);
  return {Add(ast::Binary{BinaryOp::And, re, im}, span), {}};
}

Parts ComplexExprs::Power(Parts base, ast::ExprId exponent, Span span) {
  const ast::Expr* literal = &program_.exprs[exponent];
  bool negative = false;
  if (const auto* sign = std::get_if<ast::Unary>(&literal->node)) {
    negative = sign->op == UnaryOp::Negate;
    if (sign->op != UnaryOp::Not) literal = &program_.exprs[sign->operand];
  }
  const auto* whole = std::get_if<ast::IntLiteral>(&literal->node);
  if (whole == nullptr || whole->value > kLargestComplexPower) {
    sink_.Report(program_.exprs[exponent].span, kComplexPower);
    return base;
  }
  const Parts power = WholePower(Keep(base, span), whole->value, span);
  return negative ? Quotient({Number(1.0, span), {}}, power, span) : power;
}

Parts ComplexExprs::WholePower(const Parts& base, std::int64_t exponent, Span span) {
  if (exponent == 0) return {Number(1.0, span), {}};
  if (exponent == 1) return base;
  const Parts root = Keep(WholePower(base, exponent / 2, span), span);
  const Parts square = Product(root, root, span);
  return exponent % 2 == 0 ? square : Product(square, base, span);
}

Parts ComplexExprs::BuildNode(const ast::Conditional& n, ast::ExprId id, Span span) {
  const ast::ExprId condition = Real(n.condition, kCondition);
  const Parts a = Build(n.then_value);
  const Parts b = Build(n.else_value);
  if (a.IsComplex() || b.IsComplex()) {
    const ast::ExprId re = Add(ast::Conditional{condition, RealOf(a, span), RealOf(b, span)}, span);
    return {re, Add(ast::Conditional{condition, ImaginaryOf(a, span), ImaginaryOf(b, span)}, span)};
  }
  const bool same = condition == n.condition && a.re == n.then_value && b.re == n.else_value;
  return {same ? id : Add(ast::Conditional{condition, *a.re, *b.re}, span), {}};
}

}  // namespace stencilgen::sema
