#include "lower/lower_expr.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "support/check.h"
#include "support/match.h"

namespace stencilgen::lower {

using graph::ExprId;
using kernel::Expr;
using kernel::Routine;

namespace {

/// An operand whose truth is asked for.
Expr Truth(const Expr& operand) {
  if (operand.type().of == kernel::Elementary::Bool) return operand;
  return kernel::Apply(BinaryOp::NotEqual, operand, kernel::Number(0));
}

bool IsSafeDivisor(const Expr& divisor) {
  const auto value = kernel::NumberOf(divisor);
  return value && *value != 0 && *value != -1;
}

Expr LowerPower(ScalarType type, const Expr& base, const Expr& exponent, bool exact) {
  if (exponent.type() != kernel::kInt) {
    return kernel::Call(Function::Pow, kernel::TypeOf(type), {base, exponent});
  }
  const auto count = kernel::NumberOf(exponent);
  STENCILGEN_CHECK(count.has_value());
  const Routine power = exact && IsFloating(type) ? Routine::IntPowerRn : Routine::IntPower;
  return kernel::Call(power, kernel::TypeOf(type), {base}, {*count});
}

/// `x` where the difference is `2*x - x` or `x - (x - x)`: what extrapolation comes to where
/// nothing is outside, and both elements are one.
std::optional<Expr> OfOneElement(const Expr& lhs, const Expr& rhs) {
  const auto same = [](const Expr& a, const Expr& b) {
    return kernel::Print(a) == kernel::Print(b);
  };
  const auto* twice = lhs.As<kernel::BinaryExpr>();
  const auto* two = twice == nullptr ? nullptr : twice->lhs.As<kernel::ConstExpr>();
  if (two != nullptr && twice->op == BinaryOp::Mul && two->value == 2 && same(twice->rhs, rhs)) {
    return rhs;
  }
  const auto* nothing = rhs.As<kernel::BinaryExpr>();
  if (nothing == nullptr || nothing->op != BinaryOp::Sub || !same(lhs, nothing->lhs)) return {};
  return same(lhs, nothing->rhs) ? std::optional(lhs) : std::nullopt;
}

bool IsSum(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Sub;
}

class Lowering {
 public:
  Lowering(const graph::Graph& graph, ExprLeaves& leaves, bool exact_products, bool fast_division)
      : graph_(graph),
        leaves_(leaves),
        exact_products_(exact_products),
        fast_division_(fast_division) {}

  /// `in_product`: the value only goes into a product, so that a product in it cannot be
  /// contracted.
  Expr Lower(ExprId id, bool in_product = false) {
    const graph::Expr& expr = graph_.exprs[id];
    return Match(
        expr.node,
        [&](const graph::Literal& literal) {
          const kernel::Type type = kernel::TypeOf(expr.type);
          return IsFloating(expr.type) ? kernel::Constant(type, literal.value)
                                       : kernel::Constant(type, literal.integer);
        },
        [&](const graph::ParameterRef& ref) { return leaves_.Parameter(ref.parameter); },
        [&](const graph::IteratorRef& ref) { return leaves_.Iterator(ref.iterator); },
        [&](const graph::Access& access) { return leaves_.Element(access, expr.type); },
        [&](const graph::LetRef& ref) { return leaves_.Let(ref.let, expr.type); },
        [&](const graph::Unary& unary) { return LowerUnary(unary.op, Lower(unary.operand)); },
        [&](const graph::Binary& binary) { return LowerOperation(expr, binary, in_product); },
        [&](const graph::Conditional& conditional) {
          return LowerConditional(Lower(conditional.condition), Lower(conditional.then_value),
                                  Lower(conditional.else_value));
        },
        [&](const graph::Call& call) {
          std::vector<Expr> arguments;
          for (ExprId argument : call.arguments) arguments.push_back(Lower(argument));
          return kernel::Call(call.function, kernel::TypeOf(expr.type), std::move(arguments));
        },
        [&](const graph::Convert& convert) {
          return LowerConvert(expr.type, Lower(convert.operand));
        });
  }

 private:
  Expr LowerOperation(const graph::Expr& expr, const graph::Binary& binary, bool in_product) {
    if (IsSum(binary.op) && expr.type != ScalarType::Bool) return LowerSum(binary, expr.type);
    const bool floating = IsFloating(graph_.exprs[binary.lhs].type);
    if (binary.op == BinaryOp::Div && floating && fast_division_) return LowerDivision(binary);
    const bool product = binary.op == BinaryOp::Mul && floating && exact_products_;
    const bool power = binary.op == BinaryOp::Power;
    const Expr lhs = Lower(binary.lhs, product);
    const Expr rhs = Lower(binary.rhs, product);
    return LowerBinary(binary.op, expr.type, lhs, rhs,
                       power ? exact_products_ : product && !in_product);
  }

  /// One by a root is one operation of the device, and a division of floats an approximate one.
  Expr LowerDivision(const graph::Binary& binary) {
    const Expr lhs = Lower(binary.lhs);
    const auto* root = std::get_if<graph::Call>(&graph_.exprs[binary.rhs].node);
    if (root != nullptr && root->function == Function::Sqrt) {
      const Expr by =
          kernel::Call(Routine::ReciprocalRoot, lhs.type(), {Lower(root->arguments.front())});
      const auto* one = std::get_if<graph::Literal>(&graph_.exprs[binary.lhs].node);
      return one != nullptr && one->value == 1 ? by : kernel::Apply(BinaryOp::Mul, lhs, by);
    }
    const Expr rhs = Lower(binary.rhs);
    if (lhs.type() == kernel::TypeOf(ScalarType::Float)) {
      return kernel::Call(Routine::FastDivide, lhs.type(), {lhs, rhs});
    }
    return kernel::Apply(BinaryOp::Div, lhs, rhs);
  }

  /// A sum of thousands of terms must not recurse once a term.
  Expr LowerSum(const graph::Binary& outermost, ScalarType type) {
    std::vector<const graph::Binary*> sums = {&outermost};
    for (;;) {
      const graph::Expr& first = graph_.exprs[sums.back()->lhs];
      const auto* sum = std::get_if<graph::Binary>(&first.node);
      if (sum == nullptr || !IsSum(sum->op) || first.type == ScalarType::Bool) break;
      sums.push_back(sum);
    }
    std::reverse(sums.begin(), sums.end());
    Expr value = Lower(sums.front()->lhs);
    for (const graph::Binary* sum : sums) {
      const Expr rhs = Lower(sum->rhs);
      const bool reorders = fast_division_ && IsFloating(type) && sum->op == BinaryOp::Sub;
      const std::optional<Expr> one = reorders ? OfOneElement(value, rhs) : std::nullopt;
      value = one ? *one : LowerBinary(sum->op, type, value, rhs);
    }
    return value;
  }

  const graph::Graph& graph_;
  ExprLeaves& leaves_;
  bool exact_products_;
  bool fast_division_;
};

}  // namespace

Expr LowerUnary(UnaryOp op, const Expr& operand) {
  if (op == UnaryOp::Not && operand.type().of != kernel::Elementary::Bool) {
    return kernel::Apply(BinaryOp::Equal, operand, kernel::Number(0));
  }
  return kernel::Apply(op, operand);
}

Expr LowerBinary(BinaryOp op, ScalarType type, const Expr& lhs, const Expr& rhs, bool exact) {
  const bool floating = kernel::IsFloating(lhs.type());
  const kernel::Type result = kernel::TypeOf(type);
  if (op == BinaryOp::Power) return LowerPower(type, lhs, rhs, exact);
  if (op == BinaryOp::Mod && floating) return kernel::Call(Function::Fmod, result, {lhs, rhs});
  if (!floating && (op == BinaryOp::Div || op == BinaryOp::Mod) && !IsSafeDivisor(rhs)) {
    const Routine routine = op == BinaryOp::Div ? Routine::SafeDivide : Routine::SafeModulo;
    return kernel::Call(routine, result, {lhs, rhs});
  }
  if (op == BinaryOp::Mul && floating && exact) {
    return kernel::Call(Routine::MulRn, result, {lhs, rhs});
  }
  if (IsLogical(op)) return kernel::Apply(op, Truth(lhs), Truth(rhs));
  const Expr value = kernel::Apply(op, lhs, rhs);
  const bool arithmetic = !IsComparison(op) && !IsBitwise(op);
  return type == ScalarType::Bool && arithmetic ? Truth(kernel::WithType(value, kernel::kInt))
                                                : value;
}

Expr LowerConditional(const Expr& condition, const Expr& then_value, const Expr& else_value) {
  return kernel::Choose(Truth(condition), then_value, else_value);
}

Expr LowerConvert(ScalarType type, const Expr& operand) {
  if (type == ScalarType::Bool) return Truth(operand);
  const auto value = kernel::NumberOf(operand);
  if (value && type == ScalarType::Double) {
    return kernel::Constant(kernel::TypeOf(type), static_cast<double>(*value));
  }
  return kernel::ConvertTo(kernel::TypeOf(type), operand);
}

Expr LowerExpr(const graph::Graph& graph, ExprId expr, ExprLeaves& leaves, bool exact_products,
               bool fast_division) {
  return Lowering(graph, leaves, exact_products, fast_division).Lower(expr);
}

}  // namespace stencilgen::lower
