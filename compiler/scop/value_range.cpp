#include "scop/value_range.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scop/affine.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

constexpr ValueRange kInt{std::numeric_limits<std::int32_t>::min(),
                          std::numeric_limits<std::int32_t>::max()};
constexpr ValueRange kTruth{0, 1};

ValueRange InInt(ValueRange range) {
  return {std::max(range.least, kInt.least), std::min(range.largest, kInt.largest)};
}

ValueRange Either(ValueRange a, ValueRange b) {
  return {std::min(a.least, b.least), std::max(a.largest, b.largest)};
}

ValueRange ProductOf(ValueRange a, ValueRange b) {
  const auto [least, largest] = std::minmax(
      {a.least * b.least, a.least * b.largest, a.largest * b.least, a.largest * b.largest});
  return {least, largest};
}

ValueRange Remainder(ValueRange a, ValueRange b) {
  if (b.least < 1) return kInt;
  const std::int64_t most = b.largest - 1;
  return {a.least >= 0 ? 0 : -most, a.largest <= 0 ? 0 : most};
}

ValueRange Both(ValueRange a, ValueRange b) {
  return {std::max(a.least, b.least), std::min(a.largest, b.largest)};
}

/// Where a value lies that compares so with one in the range.
ValueRange Compared(BinaryOp op, ValueRange other) {
  switch (op) {
    case BinaryOp::Less:
      return {kInt.least, other.largest - 1};
    case BinaryOp::LessEqual:
      return {kInt.least, other.largest};
    case BinaryOp::Greater:
      return {other.least + 1, kInt.largest};
    case BinaryOp::GreaterEqual:
      return {other.least, kInt.largest};
    case BinaryOp::Equal:
      return other;
    default:
      return kInt;
  }
}

/// The comparison that holds where `op` does not, or with the sides exchanged.
BinaryOp Negated(BinaryOp op) {
  switch (op) {
    case BinaryOp::Less:
      return BinaryOp::GreaterEqual;
    case BinaryOp::LessEqual:
      return BinaryOp::Greater;
    case BinaryOp::Greater:
      return BinaryOp::LessEqual;
    case BinaryOp::GreaterEqual:
      return BinaryOp::Less;
    case BinaryOp::NotEqual:
      return BinaryOp::Equal;
    default:
      return BinaryOp::NotEqual;
  }
}
BinaryOp Mirrored(BinaryOp op) {
  switch (op) {
    case BinaryOp::Less:
      return BinaryOp::Greater;
    case BinaryOp::LessEqual:
      return BinaryOp::GreaterEqual;
    case BinaryOp::Greater:
      return BinaryOp::Less;
    case BinaryOp::GreaterEqual:
      return BinaryOp::LessEqual;
    default:
      return op;
  }
}

class RangeFinder {
 public:
  explicit RangeFinder(const Region& region) : region_(region) {}

  ValueRange Find(ExprId value) {
    ValueRange range = Of(value);
    if (known_.empty()) return range;
    const std::string text = TextOf(region_, value);
    for (const auto& [compared, within] : known_) {
      if (compared == text) range = Both(range, within);
    }
    return range;
  }

 private:
  ValueRange Of(ExprId value) {
    const Expr& expr = region_.exprs[value];
    return Match(
        expr.node,
        [](const Integer& n) {
          return ValueRange{n.value, n.value};
        },
        [&](const Element& n) {
          const ElementFormat format = region_.variables[n.variable].format;
          return format == ElementFormat::Plain ? kInt : HeldBy(format);
        },
        [&](const Use& n) {
          const ElementFormat format = region_.variables[n.variable].holds;
          if (format != ElementFormat::Plain) return HeldBy(format);
          return expr.type == CType::Bool ? kTruth : kInt;
        },
        [&](const Unary& n) {
          if (n.op == UnaryOp::Not) return kTruth;
          const ValueRange range = Find(n.operand);
          return n.op == UnaryOp::Plus ? range : InInt({-range.largest, -range.least});
        },
        [&](const Binary& n) { return RangeOf(n.op, Find(n.lhs), Find(n.rhs)); },
        [&](const Conditional& n) { return Chosen(n); }, [&](const Call& n) { return Called(n); },
        [&](const Cast& n) { return n.format == ElementFormat::Plain ? kInt : HeldBy(n.format); },
        [&](const auto&) { return expr.type == CType::Bool ? kTruth : kInt; });
  }

  /// Each value where the condition has it chosen: `v < 0 ? 0 : v` is not negative.
  ValueRange Chosen(const Conditional& choice) {
    const std::size_t before = known_.size();
    Assume(choice.condition, true);
    const ValueRange a = Find(choice.then_value);
    known_.resize(before);
    Assume(choice.condition, false);
    const ValueRange b = Find(choice.else_value);
    known_.resize(before);
    return Either(a, b);
  }

  void Assume(ExprId condition, bool holds) {
    const auto* compared = std::get_if<Binary>(&region_.exprs[condition].node);
    if (compared == nullptr || !IsComparison(compared->op)) return;
    const bool whole = IsInteger(region_.exprs[compared->lhs].type) &&
                       IsInteger(region_.exprs[compared->rhs].type);
    if (!whole) return;
    const BinaryOp op = holds ? compared->op : Negated(compared->op);
    const ValueRange left = Find(compared->lhs), right = Find(compared->rhs);
    known_.emplace_back(TextOf(region_, compared->lhs), Compared(op, right));
    known_.emplace_back(TextOf(region_, compared->rhs), Compared(Mirrored(op), left));
  }

  ValueRange Called(const Call& call) {
    const bool least = call.function == "min";
    if (call.arguments.size() != 2 || (!least && call.function != "max")) return kInt;
    const ValueRange a = Find(call.arguments[0]), b = Find(call.arguments[1]);
    return least ? ValueRange{std::min(a.least, b.least), std::min(a.largest, b.largest)}
                 : ValueRange{std::max(a.least, b.least), std::max(a.largest, b.largest)};
  }

  const Region& region_;
  std::vector<std::pair<std::string, ValueRange>> known_;  // by text
};

}  // namespace

ValueRange HeldBy(ElementFormat format) {
  const IntegerRange range = stencilgen::RangeOf(format);
  return {range.least, range.largest};
}

ValueRange RangeOf(BinaryOp op, ValueRange a, ValueRange b) {
  if (IsComparison(op) || IsLogical(op)) return kTruth;
  switch (op) {
    case BinaryOp::Add:
      return InInt({a.least + b.least, a.largest + b.largest});
    case BinaryOp::Sub:
      return InInt({a.least - b.largest, a.largest - b.least});
    case BinaryOp::Mul:
      return InInt(ProductOf(a, b));
    case BinaryOp::Div:
      if (b.least != b.largest || b.least < 1) return kInt;
      return {a.least / b.least, a.largest / b.least};
    case BinaryOp::Mod:
      return Remainder(a, b);
    case BinaryOp::BitAnd:
      if (b.least >= 0) return {0, b.largest};
      return a.least >= 0 ? ValueRange{0, a.largest} : kInt;
    default:
      return kInt;
  }
}

ValueRange RangeOf(const Region& region, ExprId value) {
  return RangeFinder(region).Find(value);
}

}  // namespace stencilgen::scop
