#include "kernel/expr.h"

#include <limits>
#include <utility>

#include "kernel/parts.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::kernel {

std::string_view ToString(Elementary type) {
  switch (type) {
    case Elementary::Bool:
      return "bool";
    case Elementary::Int:
      return "int";
    case Elementary::Float:
      return "float";
    case Elementary::Double:
      return "double";
    case Elementary::Index:
      return "Index";
    case Elementary::Address:
      break;
  }
  return "auto";
}

Expr::~Expr() {
  // Of a tree that nobody else has, the leftmost branch is cut off before its root goes.
  while (node_ != nullptr && node_.use_count() == 1) {
    const auto* binary = As<BinaryExpr>();
    if (binary == nullptr) return;
    std::shared_ptr<const ExprNode> left = binary->lhs.node_;
    // Nobody else sees that the node loses its operand.
    const_cast<BinaryExpr*>(binary)->lhs.node_.reset();  // NOLINT
    node_ = std::move(left);
  }
}

Type Expr::type() const {
  return node_->type;
}

std::string_view ElementText(const Var& var) {
  // The type of narrow elements follows from their format.
  return var.format == ElementFormat::Plain ? ToString(var.type.of)
                                            : CppName(ScalarType::Float, var.format);
}

int ElementBytes(const Var& var) {
  return var.format == ElementFormat::Plain
             ? SizeInBytes(var.type.of)
             : stencilgen::SizeInBytes(ScalarType::Float, var.format);
}

VarRef MakeVar(std::string name, Type type, Storage storage, int count, ElementFormat format) {
  return std::make_shared<const Var>(Var{std::move(name), type, storage, count, format});
}

Expr Read(const VarRef& var) {
  return Make(VarExpr{var}, var->storage == Storage::Value ? var->type : kAddress);
}

Expr ElementAt(const VarRef& array, Expr index) {
  return Make(ElementExpr{array, std::move(index)}, array->type);
}

Expr AddressAt(const VarRef& array, Expr offset) {
  return Make(AddressExpr{array, std::move(offset)}, kAddress);
}

Expr GridPlace(PlaceExpr::What what, int axis, Type type) {
  return Make(PlaceExpr{what, axis}, type);
}

Expr Constant(Type type, double value) {
  if (IsFloating(type)) return Make(ConstExpr{value, 0}, type);
  return Constant(type, static_cast<std::int64_t>(value));
}

Expr Constant(Type type, std::int64_t value) {
  if (IsFloating(type)) return Make(ConstExpr{static_cast<double>(value), 0}, type);
  return Make(ConstExpr{0, value}, type);
}

Expr Apply(UnaryOp op, Expr operand) {
  const Type type =
      op == UnaryOp::Not ? Type{Elementary::Bool, operand.type().width} : operand.type();
  return Make(UnaryExpr{op, std::move(operand)}, type);
}

namespace {

/// Of an operation on both: what holds several values decides, and positions do.
Type Common(Type a, Type b) {
  if (a.width != b.width) return a.width > b.width ? a : b;
  return a.of == Elementary::Int ? b : a;
}

bool IsSum(const Expr& expr) {
  const auto* binary = expr.As<BinaryExpr>();
  return binary != nullptr && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub);
}

/// Folds where both values are known and the result fits.
template <typename Fold>
Expr Folded(const Expr& a, const Expr& b, Fold fold) {
  const auto x = NumberOf(a);
  const auto y = NumberOf(b);
  std::int64_t result = 0;
  if (!x || !y || fold(*x, *y, &result)) return {};
  return Number(result);
}

}  // namespace

Expr Apply(BinaryOp op, Expr lhs, Expr rhs) {
  Type type = Common(lhs.type(), rhs.type());
  if (IsComparison(op) || IsLogical(op)) type.of = Elementary::Bool;
  return Make(BinaryExpr{op, std::move(lhs), std::move(rhs)}, type);
}

Expr Choose(Expr condition, Expr then_value, Expr else_value) {
  const Type type = Common(then_value.type(), else_value.type());
  return Make(ConditionalExpr{std::move(condition), std::move(then_value), std::move(else_value)},
              type);
}

Expr Call(stencilgen::Function function, Type type, std::vector<Expr> arguments) {
  return Make(CallExpr{function, std::move(arguments)}, type);
}

Expr Call(Routine routine, Type type, std::vector<Expr> arguments,
          std::vector<std::int64_t> constants) {
  return Make(CallExpr{routine, std::move(arguments), std::move(constants)}, type);
}

Expr ConvertTo(Type type, Expr operand) {
  if (operand.type() == type) return operand;
  return Make(ConvertExpr{std::move(operand)}, type);
}

Expr Renamed(const Expr& expr, const std::function<VarRef(const VarRef&)>& replace) {
  const auto renamed = [&](const Expr& part) { return Renamed(part, replace); };
  return Match(
      expr.node().what,
      [&](const VarExpr& each) { return Make(VarExpr{replace(each.var)}, expr.type()); },
      [&](const ElementExpr& each) {
        return Make(ElementExpr{replace(each.array), renamed(each.index)}, expr.type());
      },
      [&](const AddressExpr& each) {
        return Make(AddressExpr{replace(each.array), renamed(each.offset)}, expr.type());
      },
      [&](const auto&) { return WithParts(expr, renamed); });
}

Expr WithType(const Expr& expr, Type type) {
  return Make(expr.node().what, type);
}

Expr Number(std::int64_t value) {
  const bool fits = value <= std::numeric_limits<std::int32_t>::max() &&
                    value > std::numeric_limits<std::int32_t>::min();
  return Make(ConstExpr{0, value}, fits ? kInt : kIndex);
}

std::optional<std::int64_t> NumberOf(const Expr& expr) {
  const auto* constant = expr.As<ConstExpr>();
  if (constant == nullptr || !IsInteger(expr.type())) return std::nullopt;
  return constant->integer;
}

namespace {

/// `a + number`, where `a` ends with a number that is added or subtracted; else invalid.
Expr WithNumber(const Expr& a, std::int64_t number) {
  const auto* sum = IsSum(a) ? a.As<BinaryExpr>() : nullptr;
  const auto last = sum == nullptr ? std::nullopt : NumberOf(sum->rhs);
  if (!last) return {};
  std::int64_t all = 0;
  const bool overflows = sum->op == BinaryOp::Add ? __builtin_add_overflow(number, *last, &all)
                                                  : __builtin_sub_overflow(number, *last, &all);
  return overflows ? Expr() : sum->lhs + Number(all);
}

}  // namespace

Expr operator+(const Expr& a, const Expr& b) {
  if (NumberOf(a) == std::int64_t{0}) return b;
  const auto value = NumberOf(b);
  if (value == std::int64_t{0}) return a;
  if (Expr folded =
          Folded(a, b, [](auto x, auto y, auto* r) { return __builtin_add_overflow(x, y, r); });
      folded.Valid()) {
    return folded;
  }
  if (value) {
    if (Expr folded = WithNumber(a, *value); folded.Valid()) return folded;
  }
  if (value && *value < 0 && *value != std::numeric_limits<std::int64_t>::min()) {
    return Apply(BinaryOp::Sub, a, Number(-*value));
  }
  if (const auto* unary = b.As<UnaryExpr>(); unary != nullptr && unary->op == UnaryOp::Negate) {
    return a - unary->operand;
  }
  if (IsSum(b)) {
    const auto& sum = *b.As<BinaryExpr>();
    return Apply(sum.op, a + sum.lhs, sum.rhs);
  }
  return Apply(BinaryOp::Add, a, b);
}

Expr operator-(const Expr& a, const Expr& b) {
  if (NumberOf(b) == std::int64_t{0}) return a;
  if (Expr folded =
          Folded(a, b, [](auto x, auto y, auto* r) { return __builtin_sub_overflow(x, y, r); });
      folded.Valid()) {
    return folded;
  }
  if (NumberOf(a) == std::int64_t{0}) return Apply(UnaryOp::Negate, b);
  const auto value = NumberOf(b);
  if (value && *value != std::numeric_limits<std::int64_t>::min()) {
    if (Expr folded = WithNumber(a, -*value); folded.Valid()) return folded;
  }
  return Apply(BinaryOp::Sub, a, b);
}

Expr operator*(const Expr& a, const Expr& b) {
  const auto x = NumberOf(a);
  const auto y = NumberOf(b);
  if (x == std::int64_t{0} || y == std::int64_t{0}) return Number(0);
  if (x == std::int64_t{1}) return b;
  if (y == std::int64_t{1}) return a;
  if (Expr folded =
          Folded(a, b, [](auto p, auto q, auto* r) { return __builtin_mul_overflow(p, q, r); });
      folded.Valid()) {
    return folded;
  }
  return Apply(BinaryOp::Mul, a, b);
}

namespace {

/// `a && b`, associated to the left.
Expr Both(const Expr& a, const Expr& b) {
  const auto* inner = b.As<BinaryExpr>();
  if (inner == nullptr || inner->op != BinaryOp::And) return Apply(BinaryOp::And, a, b);
  return Apply(BinaryOp::And, Both(a, inner->lhs), inner->rhs);
}

}  // namespace

Expr And(const std::vector<Expr>& conditions) {
  Expr all;
  for (const Expr& condition : conditions) {
    if (condition.Valid()) all = all.Valid() ? Both(all, condition) : condition;
  }
  return all;
}

}  // namespace stencilgen::kernel
