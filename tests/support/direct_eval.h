#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "support/direct_scope.h"
#include "support/match.h"

namespace stencilgen::testing::direct {

/// Where an access reads: an element, or the value of a constant boundary mode.
struct Place {
  std::size_t element = 0;
  std::optional<double> constant;
  /// For each dimension whose end a straight line continues, from `element` to the one that it is
  /// drawn by.
  std::vector<std::int64_t> inward = {};
};

/// Empty where the access lies outside its array and no boundary mode brings it back.
std::optional<Place> FindPlace(Scope& scope, const ast::Access& access, const Point& p);

/// The value of an expression at a point.
/// Requires: every array element it reads exists.
DirectNumber Eval(Scope& scope, ast::ExprId id, const Point& p);
/// The value of a name without index: an iterator, a scalar, a parameter or a formal for one.
DirectNumber EvalName(Scope& scope, const std::string& name, const Point& p);
/// True where the expression has a name of that text, in an index too.
bool Mentions(Scope& scope, ast::ExprId id, const std::string& name);
/// True where an index is a value: an element of an array or a scalar is in it.
bool IsPlace(Scope& scope, ast::ExprId id);
/// True for `sum`, `norm2`, `any`, `all`, and for `min` and `max` of one argument.
bool IsReduction(const ast::Call& call);
/// The value of an array element or scalar.
DirectNumber EvalAccess(Scope& scope, const ast::Access& access, const Point& p);

/// Eval of an expression without iterators: a bound, an extent, an iteration count.
inline double EvalUniform(Scope& scope, ast::ExprId id) {
  return Eval(scope, id, Point{}).value;
}

/// True where the predicate holds for an operand or argument of the node; indices are none.
template <typename Predicate>
bool AnyOperand(const ast::Expr& expr, const Predicate& predicate) {
  return Match(
      expr.node, [&](const ast::Unary& n) { return predicate(n.operand); },
      [&](const ast::Binary& n) { return predicate(n.lhs) || predicate(n.rhs); },
      [&](const ast::Conditional& n) {
        return predicate(n.condition) || predicate(n.then_value) || predicate(n.else_value);
      },
      [&](const ast::Call& n) {
        return std::any_of(n.arguments.begin(), n.arguments.end(), predicate);
      },
      [](const auto& /*leaf*/) { return false; });
}

}  // namespace stencilgen::testing::direct
