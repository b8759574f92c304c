#include "support/direct_eval.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace stencilgen::testing::direct {
namespace {

/// The position in 0 .. n-1 that a boundary mode other than a constant gives for x outside.
std::int64_t BringInside(ast::BoundaryKind kind, std::int64_t x, std::int64_t n) {
  if (kind == ast::BoundaryKind::Clamp) return x < 0 ? 0 : n - 1;
  if (kind == ast::BoundaryKind::Wrap) return ((x % n) + n) % n;
  if (kind == ast::BoundaryKind::Mirror101) {
    // Back and forth between the ends, an element at a time.
    while (n > 1 && (x < 0 || x >= n)) x = x < 0 ? -x : 2 * (n - 1) - x;
    return n > 1 ? x : 0;
  }
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

/// Both values as one.
DirectNumber Together(const std::string& reduction, const DirectNumber& a, const DirectNumber& b) {
  if (reduction == "min" || reduction == "max") return DirectCall(reduction, {a, b});
  const BinaryOp op = reduction == "any"   ? BinaryOp::Or
                      : reduction == "all" ? BinaryOp::And
                                           : BinaryOp::Add;
  return DirectBinary(op, a, b);
}

/// What no value at all gives.
DirectNumber Nothing(const std::string& reduction, bool integer) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Int = std::numeric_limits<std::int32_t>;
  if (reduction == "min") return {integer ? Int::max() : kInfinity, integer, true};
  if (reduction == "max") return {integer ? Int::min() : -kInfinity, integer, true};
  return {reduction == "all" ? 1.0 : 0.0, integer, true};
}

/// By the language's order: values meet in lanes, these in 256 along the last iterator, and what
/// is left one after the other.
DirectNumber EvalReduction(Scope& scope, const ast::Call& n) {
  const Points& points = scope.PointsOf(n);
  const std::string& name = n.function.text;
  Point low{};
  Point varies{};  // 1 for an iterator that the argument names
  if (!points.empty()) low = *points.begin();
  for (const Point& p : points) {
    for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], p[d]);
  }
  const std::size_t count = scope.program().iterators.size();
  std::size_t used = 0;
  std::size_t last = 0;
  for (std::size_t d = 0; d < count; ++d) {
    varies[d] = Mentions(scope, n.arguments.front(), scope.program().iterators[d].text) ? 1 : 0;
    if (varies[d] == 0) continue;
    ++used;
    last = d;
  }
  const std::vector<std::int64_t> sizes = used == 1   ? std::vector<std::int64_t>{65536}
                                          : used == 2 ? std::vector<std::int64_t>{64, 1024}
                                                      : std::vector<std::int64_t>{16, 16, 256};
  std::map<Point, DirectNumber> lanes;
  bool integer = false;
  for (const Point& p : points) {
    Point lane{};
    std::size_t next = 0;
    for (std::size_t d = 0; d < count; ++d) {
      if (varies[d] != 0) lane[d] = (p[d] - low[d]) % sizes[next++];
    }
    DirectNumber value = Eval(scope, n.arguments.front(), p);
    integer = value.integer;
    if (name == "norm2") value = DirectBinary(BinaryOp::Mul, value, value);
    const auto [at, first] = lanes.try_emplace(lane, Nothing(name, integer));
    at->second = Together(name, at->second, value);
  }
  std::map<std::int64_t, DirectNumber> fewer;
  for (const auto& [lane, value] : lanes) {
    const auto [at, first] = fewer.try_emplace(lane[last] % 256, Nothing(name, integer));
    at->second = Together(name, at->second, value);
  }
  DirectNumber total = Nothing(name, integer);
  for (const auto& [lane, value] : fewer) total = Together(name, total, value);
  return name == "norm2" ? DirectCall("sqrt", {total}) : total;
}

DirectNumber EvalCall(Scope& scope, const ast::Call& n, const Point& p) {
  if (IsReduction(n)) return EvalReduction(scope, n);
  std::vector<DirectNumber> arguments;
  for (const ast::ExprId argument : n.arguments) arguments.push_back(Eval(scope, argument, p));
  return DirectCall(n.function.text, arguments);
}

}  // namespace

bool Mentions(Scope& scope, ast::ExprId id, const std::string& name) {
  const ast::Expr& expr = scope.program().exprs[id];
  const auto mentions = [&](ast::ExprId part) { return Mentions(scope, part, name); };
  const auto* ref = std::get_if<ast::NameRef>(&expr.node);
  if (ref != nullptr) return ref->name == name;
  const auto* access = std::get_if<ast::Access>(&expr.node);
  if (access != nullptr) {
    return std::any_of(access->indices.begin(), access->indices.end(), mentions);
  }
  return AnyOperand(expr, mentions);
}

bool IsPlace(Scope& scope, ast::ExprId id) {
  const ast::Expr& expr = scope.program().exprs[id];
  if (std::holds_alternative<ast::Access>(expr.node)) return true;
  if (const auto* ref = std::get_if<ast::NameRef>(&expr.node)) {
    if (scope.IsIterator(ref->name)) return false;
    return scope.FindLocalScalar(ref->name) != nullptr || scope.FindArray(ref->name) != nullptr;
  }
  return AnyOperand(expr, [&](ast::ExprId operand) { return IsPlace(scope, operand); });
}

bool IsReduction(const ast::Call& call) {
  const std::string& name = call.function.text;
  if (name == "min" || name == "max") return call.arguments.size() == 1;
  return name == "sum" || name == "norm2" || name == "any" || name == "all";
}

std::optional<Place> FindPlace(Scope& scope, const ast::Access& access, const Point& p) {
  const ast::BoundarySpec* boundary = scope.FindBoundary(access.name.text);
  const std::vector<std::int64_t>& shape = scope.FindArray(access.name.text)->shape;
  Place place;
  std::vector<std::pair<std::size_t, std::int64_t>> continued;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t n = shape[d];
    auto x = static_cast<std::int64_t>(Eval(scope, access.indices[d], p).value);
    if (x < 0 || x >= n) {
      const ast::BoundaryMode* mode =
          boundary == nullptr ? nullptr : &boundary->modes[boundary->per_dimension ? d : 0];
      if (mode != nullptr && mode->kind == ast::BoundaryKind::None) mode = nullptr;
      if (mode == nullptr && n > 0 && IsPlace(scope, access.indices[d])) {
        if (!place.constant) place.constant = 0.0;
        place.element *= static_cast<std::size_t>(n);
        continue;
      }
      if (mode == nullptr || n < 1) return std::nullopt;
      if (mode->kind == ast::BoundaryKind::Constant) {
        if (!place.constant) place.constant = Eval(scope, *mode->value, p).value;
        x = 0;
      } else if (mode->kind == ast::BoundaryKind::Extrapolate) {
        const std::int64_t end = BringInside(ast::BoundaryKind::Clamp, x, n);
        const std::int64_t inside = BringInside(ast::BoundaryKind::Mirror101, x, n);
        continued.emplace_back(d, inside - end);
        x = end;
      } else {
        x = BringInside(mode->kind, x, n);
      }
    }
    place.element = place.element * static_cast<std::size_t>(n) + static_cast<std::size_t>(x);
  }
  for (auto [d, inward] : continued) {
    for (std::size_t inner = d + 1; inner < shape.size(); ++inner) inward *= shape[inner];
    place.inward.push_back(inward);
  }
  return place;
}

/// The element, or the line through it and the one so far inward along each dimension in turn.
DirectNumber EvalElement(const DirectArray& array, const Place& place, std::size_t element,
                         std::size_t dimension) {
  const bool integer = !IsFloating(array.type);
  if (dimension == place.inward.size()) {
    return {array.values[element], integer, array.defined[element] != 0};
  }
  const auto inside = element + static_cast<std::size_t>(place.inward[dimension]);
  const DirectNumber end = EvalElement(array, place, element, dimension + 1);
  const DirectNumber other = EvalElement(array, place, inside, dimension + 1);
  return DirectBinary(BinaryOp::Sub, end, DirectBinary(BinaryOp::Sub, other, end));
}

DirectNumber EvalAccess(Scope& scope, const ast::Access& access, const Point& p) {
  const DirectArray& array = *scope.FindArray(access.name.text);
  const Place place = FindPlace(scope, access, p).value();
  const bool integer = !IsFloating(array.type);
  if (place.constant) return {*place.constant, integer, true};
  return EvalElement(array, place, place.element, 0);
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
