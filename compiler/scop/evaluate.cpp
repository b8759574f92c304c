#include "scop/evaluate.h"

#include <algorithm>
#include <cstdlib>

#include "support/match.h"

namespace stencilgen::scop {
namespace {

/// Beyond it C's arithmetic may overflow.
constexpr std::int64_t kMostValue = 1000000;

}  // namespace

std::optional<std::int64_t> Apply(BinaryOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Sub:
      return a - b;
    case BinaryOp::Mul:
      return a * b;
    case BinaryOp::Div:
      return b == 0 ? std::nullopt : std::optional(a / b);
    case BinaryOp::Mod:
      return b == 0 ? std::nullopt : std::optional(a % b);
    case BinaryOp::Less:
      return a < b;
    case BinaryOp::LessEqual:
      return a <= b;
    case BinaryOp::Greater:
      return a > b;
    case BinaryOp::GreaterEqual:
      return a >= b;
    case BinaryOp::Equal:
      return a == b;
    case BinaryOp::NotEqual:
      return a != b;
    case BinaryOp::BitAnd:
      return a & b;
    case BinaryOp::BitOr:
      return a | b;
    case BinaryOp::And:
      return a != 0 && b != 0;
    case BinaryOp::Or:
      return a != 0 || b != 0;
    case BinaryOp::Power:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::int64_t> Evaluate(const Region& region, ExprId id, const Values& values) {
  using Value = std::optional<std::int64_t>;
  const auto value_of = [&](ExprId part) { return Evaluate(region, part, values); };
  const Value value = Match(
      region.exprs[id].node, [](const Integer& n) { return Value(n.value); },
      [&](const Use& n) {
        const auto found = values.find(n.variable);
        return found == values.end() ? Value() : Value(found->second);
      },
      [&](const Unary& n) {
        const Value operand = value_of(n.operand);
        if (!operand || n.op == UnaryOp::Plus) return operand;
        return Value(n.op == UnaryOp::Negate ? -*operand : std::int64_t{*operand == 0});
      },
      [&](const Binary& n) {
        const Value lhs = value_of(n.lhs), rhs = value_of(n.rhs);
        return lhs && rhs ? Apply(n.op, *lhs, *rhs) : Value();
      },
      [&](const Conditional& n) {
        const Value condition = value_of(n.condition);
        if (!condition) return Value();
        return value_of(*condition != 0 ? n.then_value : n.else_value);
      },
      [](const auto&) { return Value(); });
  if (!value || std::abs(*value) > kMostValue) return std::nullopt;
  const bool wraps = region.exprs[id].type == CType::Unsigned && *value < 0;
  return wraps ? std::nullopt : value;
}

std::optional<std::pair<std::int64_t, std::int64_t>> CounterRange(const Region& region,
                                                                  const Loop& loop) {
  const auto first = Evaluate(region, loop.first, {});
  if (!first || loop.bounds.size() != 1 || std::abs(loop.step) != 1) return std::nullopt;
  auto last = Evaluate(region, loop.bounds[0].value, {});
  if (!last) return std::nullopt;
  switch (loop.bounds[0].comparison) {
    case BinaryOp::Less:
    case BinaryOp::Greater:
    case BinaryOp::NotEqual:
      *last -= loop.step;
      break;
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual:
      break;
    default:
      return std::nullopt;
  }
  if ((*last - *first) * loop.step < 0) return std::nullopt;
  return std::minmax(*first, *last);
}

std::optional<std::size_t> ElementNumber(const Region& region,
                                         const std::vector<ExprId>& subscripts,
                                         const std::vector<std::int64_t>& extents) {
  if (subscripts.size() != extents.size()) return std::nullopt;
  std::size_t number = 0;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const std::int64_t place = Evaluate(region, subscripts[d], {}).value_or(-1);
    if (place < 0 || place >= extents[d]) return std::nullopt;
    number = number * static_cast<std::size_t>(extents[d]) + static_cast<std::size_t>(place);
  }
  return number;
}

bool PutTableValue(const Region& region, Expr& expr) {
  const auto* element = std::get_if<Element>(&expr.node);
  if (element == nullptr || region.variables[element->variable].values.empty()) return false;
  const Variable& array = region.variables[element->variable];
  std::vector<std::int64_t> extents;
  extents.reserve(array.extents.size());
  for (const auto& extent : array.extents) {
    extents.push_back(Evaluate(region, *extent, {}).value_or(0));
  }
  const auto number = ElementNumber(region, element->subscripts, extents);
  if (!number) return false;
  Match(
      array.values[*number], [&](std::int64_t value) { expr.node = Integer{value}; },
      [&](double value) { expr.node = Floating{value}; });
  return true;
}

bool Holds(CType type, std::int64_t value) {
  switch (type) {
    case CType::Int:
      return true;
    case CType::Bool:
      return value == 0 || value == 1;
    case CType::Unsigned:
      return value >= 0;
    default:  // as small as a character, with a sign or without
      return value >= 0 && value <= 127;
  }
}

}  // namespace stencilgen::scop
