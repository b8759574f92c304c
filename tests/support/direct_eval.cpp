#include "support/direct_eval.h"

#include <vector>

namespace stencilgen::testing::direct {
namespace {

/// The position in 0 .. n-1 that a boundary mode other than a constant gives for x outside.
std::int64_t BringInside(ast::BoundaryKind kind, std::int64_t x, std::int64_t n) {
  if (kind == ast::BoundaryKind::Clamp) return x < 0 ? 0 : n - 1;
  if (kind == ast::BoundaryKind::Wrap) return ((x % n) + n) % n;
  const std::int64_t period = 2 * n;
  const std::int64_t reflected = ((x % period) + period) % period;
  return reflected < n ? reflected : period - 1 - reflected;
}

DirectNumber EvalConditional(Scope& scope, const ast::Conditional& n, const Point& p) {
  const DirectNumber condition = Eval(scope, n.condition, p);
  const DirectNumber a = Eval(scope, n.then_value, p);
  const DirectNumber b = Eval(scope, n.else_value, p);
  DirectNumber chosen = condition.value != 0 ? a : b;
  chosen.integer = a.integer && b.integer;
  chosen.defined = chosen.defined && condition.defined;
  return chosen;
}

DirectNumber EvalCall(Scope& scope, const ast::Call& n, const Point& p) {
  std::vector<DirectNumber> arguments;
  for (const ast::ExprId argument : n.arguments) arguments.push_back(Eval(scope, argument, p));
  return DirectCall(n.function.text, arguments);
}

}  // namespace

std::optional<Place> FindPlace(Scope& scope, const ast::Access& access, const Point& p) {
  const ast::BoundarySpec* boundary = scope.FindBoundary(access.name.text);
  const std::vector<std::int64_t>& shape = scope.FindArray(access.name.text)->shape;
  Place place;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t n = shape[d];
    auto x = static_cast<std::int64_t>(Eval(scope, access.indices[d], p).value);
    if (x < 0 || x >= n) {
      if (boundary == nullptr || n < 1) return std::nullopt;
      const ast::BoundaryMode& mode = boundary->modes[boundary->per_dimension ? d : 0];
      if (mode.kind == ast::BoundaryKind::Constant) {
        if (!place.constant) place.constant = Eval(scope, *mode.value, p).value;
        x = 0;
      } else {
        x = BringInside(mode.kind, x, n);
      }
    }
    place.element = place.element * static_cast<std::size_t>(n) + static_cast<std::size_t>(x);
  }
  return place;
}

DirectNumber EvalAccess(Scope& scope, const ast::Access& access, const Point& p) {
  const DirectArray& array = *scope.FindArray(access.name.text);
  const Place place = FindPlace(scope, access, p).value();
  const bool integer = !IsFloating(array.type);
  if (place.constant) return {*place.constant, integer, true};
  return {array.values[place.element], integer, array.defined[place.element] != 0};
}

DirectNumber EvalName(Scope& scope, const std::string& name, const Point& p) {
  const std::vector<ast::Name>& iterators = scope.program().iterators;
  for (std::size_t d = 0; d < iterators.size(); ++d) {
    if (iterators[d].text == name) return {static_cast<double>(p[d]), true, true};
  }
  if (const LocalScalar* scalar = scope.FindLocalScalar(name)) {
    const auto own = scalar->values.find(p);
    DirectNumber number = own != scalar->values.end() ? own->second : scalar->uniform_value;
    number.integer = !IsFloating(scalar->type);
    return number;
  }
  if (const ast::ExprId* number = scope.Number(name)) return Eval(scope, *number, p);
  const std::string actual = scope.Actual(name);
  const auto turn = scope.turns().find(actual);
  if (turn != scope.turns().end()) return {static_cast<double>(turn->second), true, true};
  const auto parameter = scope.parameters().find(actual);
  if (parameter != scope.parameters().end()) {
    return {static_cast<double>(parameter->second), true, true};
  }
  const DirectArray& scalar = scope.state().at(actual);
  return {scalar.values[0], !IsFloating(scalar.type), scalar.defined[0] != 0};
}

DirectNumber Eval(Scope& scope, ast::ExprId id, const Point& p) {
  return Match(
      scope.program().exprs[id].node,
      [](const ast::IntLiteral& n) {
        return DirectNumber{static_cast<double>(n.value), true, true};
      },
      [](const ast::FloatLiteral& n) {
        return DirectNumber{n.value, false, true};
      },
      [&](const ast::NameRef& n) { return EvalName(scope, n.name, p); },
      [&](const ast::Access& n) { return EvalAccess(scope, n, p); },
      [&](const ast::Unary& n) { return DirectUnary(n.op, Eval(scope, n.operand, p)); },
      [&](const ast::Binary& n) {
        return DirectBinary(n.op, Eval(scope, n.lhs, p), Eval(scope, n.rhs, p));
      },
      [&](const ast::Conditional& n) { return EvalConditional(scope, n, p); },
      [&](const ast::Call& n) { return EvalCall(scope, n, p); });
}

}  // namespace stencilgen::testing::direct
