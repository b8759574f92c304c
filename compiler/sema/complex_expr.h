#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ast/ast.h"
#include "support/diagnostics.h"

namespace stencilgen::sema {

inline constexpr std::string_view kCondition = "a condition";

/// The parts of an expression, each an expression of real numbers. A real one has no imaginary
/// part, `2i` no real one.
struct Parts {
  std::optional<ast::ExprId> re, im;

  bool IsComplex() const { return im.has_value(); }
  bool HasBoth() const { return re && im; }
};

/// Takes expressions of complex numbers apart, in the syntax tree. What is real stays the node that
/// it was.
class ComplexExprs {
 public:
  ComplexExprs(ast::Program& program, DiagnosticSink& sink) : program_(program), sink_(sink) {}

  /// What expressions see from now on: the names that are complex, and who gives the parts of a
  /// value names, so that it is computed once however often it is used; nobody where `keep` is
  /// null.
  void Enter(const std::set<std::string>* complex,
             std::function<Parts(const Parts&, Span)> keep = nullptr);

  Parts Build(ast::ExprId id);
  /// The expression where it is real; otherwise reports that `what` cannot be complex, and `id`.
  ast::ExprId Real(ast::ExprId id, std::string_view what);
  std::vector<ast::ExprId> RealIndices(const std::vector<ast::ExprId>& indices);
  /// `real(z)` and `imag(z)`: 0 where there is no such part.
  ast::ExprId RealOf(const Parts& z, Span span);
  ast::ExprId ImaginaryOf(const Parts& z, Span span);

  Parts Product(Parts a, Parts b, Span span);
  Parts Quotient(Parts a, Parts b, Span span);

 private:
  using Id = std::optional<ast::ExprId>;

  Parts BuildNode(const ast::NameRef& n, ast::ExprId id, Span span);
  Parts BuildNode(const ast::Access& n, ast::ExprId id, Span span);
  Parts BuildNode(const ast::Unary& n, ast::ExprId id, Span span);
  Parts BuildNode(const ast::Binary& n, ast::ExprId id, Span span);
  Parts BuildNode(const ast::Conditional& n, ast::ExprId id, Span span);
  Parts BuildNode(const ast::Call& n, ast::ExprId id, Span span);
  Parts BuildNode(const ast::FloatLiteral& n, ast::ExprId id, Span span);
  static Parts BuildNode(const ast::IntLiteral& /*n*/, ast::ExprId id, Span /*span*/) {
    return {id, {}};
  }

  /// `n` with its left side taken apart.
  Parts Operation(const ast::Binary& n, const Parts& a, ast::ExprId id, Span span);
  Parts Combine(BinaryOp op, const Parts& a, const Parts& b, Span span);
  Parts Equal(const Parts& a, const Parts& b, Span span);
  Parts Power(Parts base, ast::ExprId exponent, Span span);
  Parts WholePower(const Parts& base, std::int64_t exponent, Span span);
  Parts Function(const std::string& name, Parts z, Span span);
  Parts Exponential(const Parts& z, Span span);
  std::optional<Parts> Reduction(const ast::Call& n, const Parts& value, Span span);
  ast::ExprId SquaredMagnitude(Parts z, Span span);
  Parts Refuse(std::string_view what, std::string_view hint, Span span);

  /// The parts under names, where both are more than a name.
  Parts Keep(Parts z, Span span);
  bool IsPlain(ast::ExprId id) const;

  ast::ExprId Add(decltype(ast::Expr::node) node, Span span);
  ast::ExprId Number(double value, Span span);
  ast::ExprId Call(const char* function, std::vector<ast::ExprId> arguments, Span span);
  /// Of what may be missing, which counts as 0.
  Id Sum(Id a, Id b, Span span);
  Id Difference(Id a, Id b, Span span);
  Id Negated(Id a, Span span);
  Id Times(Id a, Id b, Span span);
  Id Over(Id a, Id b, Span span);

  ast::Program& program_;
  DiagnosticSink& sink_;
  const std::set<std::string>* complex_ = nullptr;
  std::function<Parts(const Parts&, Span)> keep_;
};

}  // namespace stencilgen::sema
