#include "codegen/print_expr.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codegen/text.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::codegen {
namespace {

using graph::Binary;
using graph::Call;
using graph::Conditional;
using graph::Convert;
using graph::Expr;
using graph::ExprId;
using graph::Literal;
using graph::Unary;

constexpr int kSumPrecedence = 9;
constexpr int kComparable = 6;  // equality: what `x != 0` is

/// Appends to one buffer: long sums are deep trees, and joining strings would be quadratic.
class Printer {
 public:
  Printer(const graph::Graph& graph, ExprLeaves& leaves, bool exact_products)
      : graph_(graph), leaves_(leaves), exact_products_(exact_products) {}

  /// Parenthesised where the expression binds less than `context`. `in_product`: the value only
  /// goes into a product, so that a product in it cannot be contracted.
  void Print(ExprId id, int context, bool in_product = false) {
    const Expr& expr = graph_.exprs[id];
    Match(
        expr.node, [&](const Literal& literal) { PrintLiteral(expr, literal, context); },
        [&](const graph::ParameterRef& ref) { Leaf(leaves_.Parameter(ref.parameter), context); },
        [&](const graph::IteratorRef& ref) { Leaf(leaves_.Iterator(ref.iterator), context); },
        [&](const graph::Access& access) { Leaf(leaves_.Element(access, expr.type), context); },
        [&](const graph::LetRef& ref) { Leaf(leaves_.Let(ref.let), context); },
        [&](const Unary& unary) { PrintUnary(unary, context); },
        [&](const Binary& binary) { PrintBinary(expr, binary, context, in_product); },
        [&](const Conditional& conditional) { PrintConditional(conditional, context); },
        [&](const Call& call) { PrintCall(expr, call); },
        [&](const Convert& convert) { PrintConvert(expr, convert, context); });
  }

  std::string Take() { return std::move(out_); }

 private:
  ScalarType TypeOf(ExprId id) const { return graph_.exprs[id].type; }

  void Leaf(const ExprText& leaf, int context) {
    Parenthesised(leaf.precedence, context, [&] { out_.append(leaf.text); });
  }

  template <typename Body>
  void Parenthesised(int precedence, int context, Body body) {
    if (precedence < context) out_.push_back('(');
    body();
    if (precedence < context) out_.push_back(')');
  }

  void PrintLiteral(const Expr& expr, const Literal& literal, int context) {
    const std::string text = IsFloating(expr.type) ? LiteralText(expr.type, literal.value)
                                                   : LiteralText(expr.type, literal.integer);
    Leaf({text, text.front() == '-' ? kUnaryPrecedence : kPrimaryPrecedence}, context);
  }

  /// An operand whose truth is asked for.
  void PrintTruth(ExprId id, int context) {
    if (TypeOf(id) == ScalarType::Bool) return Print(id, context);
    Parenthesised(kComparable, context, [&] {
      Print(id, kSumPrecedence);
      out_.append(" != 0");
    });
  }

  void PrintUnary(const Unary& unary, int context) {
    if (unary.op == UnaryOp::Not && TypeOf(unary.operand) != ScalarType::Bool) {
      return Parenthesised(kComparable, context, [&] {
        Print(unary.operand, kSumPrecedence);
        out_.append(" == 0");
      });
    }
    Parenthesised(kUnaryPrecedence, context, [&] {
      out_.append(ToString(unary.op));
      // `- -x` must not become a decrement.
      Print(unary.operand, kUnaryPrecedence + 1);
    });
  }

  /// Compilers suspect a mistake in `a < b < c`, `a & b == c` and `a && b || c`: operands of
  /// comparisons, bitwise and logical operators get parentheses unless their kind is no surprise.
  int OperandContext(const Binary& binary, ExprId operand, bool left) const {
    const int precedence = Precedence(binary.op);
    const auto* inner = std::get_if<Binary>(&graph_.exprs[operand].node);
    const bool same = inner != nullptr && inner->op == binary.op && left;
    if (IsLogical(binary.op)) return same ? precedence : kComparable;
    if (IsBitwise(binary.op)) return same ? precedence : kUnaryPrecedence;
    if (IsComparison(binary.op)) {
      const auto* unary = std::get_if<Unary>(&graph_.exprs[operand].node);
      const bool negated = unary != nullptr && unary->op == UnaryOp::Not;
      return negated ? kPrimaryPrecedence : kSumPrecedence;
    }
    return left ? precedence : precedence + 1;
  }

  void PrintBinary(const Expr& expr, const Binary& binary, int context, bool in_product) {
    const bool floating = IsFloating(TypeOf(binary.lhs));
    if (binary.op == BinaryOp::Power) return PrintPower(expr, binary);
    if (binary.op == BinaryOp::Mod && floating) {
      return PrintFunction(expr.type == ScalarType::Float ? "fmodf" : "fmod",
                           {binary.lhs, binary.rhs});
    }
    if (!floating && (binary.op == BinaryOp::Div || binary.op == BinaryOp::Mod) &&
        !IsSafeDivisor(binary.rhs)) {
      return PrintFunction(binary.op == BinaryOp::Div ? "SafeDivide" : "SafeModulo",
                           {binary.lhs, binary.rhs});
    }
    if (binary.op == BinaryOp::Mul && floating && exact_products_ && !in_product) {
      return PrintFunction("MulRn", {binary.lhs, binary.rhs}, true);
    }
    const bool arithmetic = !IsComparison(binary.op) && !IsLogical(binary.op);
    if (expr.type == ScalarType::Bool && arithmetic && !IsBitwise(binary.op)) {
      return Parenthesised(kComparable, context, [&] {
        PrintOperands(binary, in_product);
        out_.append(" != 0");
      });
    }
    Parenthesised(Precedence(binary.op), context, [&] {
      if (IsSum(binary)) return PrintSum(binary);
      PrintOperands(binary, in_product);
    });
  }

  static bool IsSum(const Binary& binary) {
    return binary.op == BinaryOp::Add || binary.op == BinaryOp::Sub;
  }

  /// A sum of thousands of terms must not recurse once a term.
  void PrintSum(const Binary& outermost) {
    std::vector<const Binary*> sums = {&outermost};
    for (;;) {
      const Expr& first = graph_.exprs[sums.back()->lhs];
      const auto* sum = std::get_if<Binary>(&first.node);
      if (sum == nullptr || !IsSum(*sum) || first.type == ScalarType::Bool) break;
      sums.push_back(sum);
    }
    std::reverse(sums.begin(), sums.end());
    Print(sums.front()->lhs, kSumPrecedence);
    for (const Binary* sum : sums) {
      out_.append(" ").append(ToString(sum->op)).append(" ");
      Print(sum->rhs, kSumPrecedence + 1);
    }
  }

  void PrintOperands(const Binary& binary, bool in_product) {
    const bool product = binary.op == BinaryOp::Mul && in_product;
    const auto operand = [&](ExprId id, bool left) {
      const int context = OperandContext(binary, id, left);
      if (IsLogical(binary.op)) return PrintTruth(id, context);
      Print(id, context, product);
    };
    operand(binary.lhs, true);
    out_.append(" ").append(ToString(binary.op)).append(" ");
    operand(binary.rhs, false);
  }

  bool IsSafeDivisor(ExprId id) const {
    const auto* literal = std::get_if<Literal>(&graph_.exprs[id].node);
    return literal != nullptr && literal->integer != 0 && literal->integer != -1;
  }

  void PrintPower(const Expr& expr, const Binary& binary) {
    const Expr& exponent = graph_.exprs[binary.rhs];
    if (exponent.type != ScalarType::Int) {
      return PrintFunction(expr.type == ScalarType::Float ? "powf" : "pow",
                           {binary.lhs, binary.rhs});
    }
    const auto* count = std::get_if<Literal>(&exponent.node);
    STENCILGEN_CHECK(count != nullptr);
    const bool exact = exact_products_ && IsFloating(expr.type);
    PrintFunction(fmt::format("{}<{}>", exact ? "IntPowerRn" : "IntPower", count->integer),
                  {binary.lhs});
  }

  void PrintConditional(const Conditional& conditional, int context) {
    Parenthesised(kConditionalPrecedence, context, [&] {
      PrintTruth(conditional.condition, kConditionalPrecedence + 1);
      out_.append(" ? ");
      Print(conditional.then_value, kConditionalPrecedence + 1);
      out_.append(" : ");
      Print(conditional.else_value, kConditionalPrecedence);
    });
  }

  void PrintCall(const Expr& expr, const Call& call) {
    if (call.function == Function::Min) return PrintFunction("Min", call.arguments);
    if (call.function == Function::Max) return PrintFunction("Max", call.arguments);
    if (call.function == Function::Abs && !IsFloating(expr.type)) {
      return PrintFunction("Abs", call.arguments);
    }
    const std::string_view name =
        call.function == Function::Abs ? Info(Function::Fabs).name : Info(call.function).name;
    PrintFunction(fmt::format("{}{}", name, expr.type == ScalarType::Float ? "f" : ""),
                  call.arguments);
  }

  void PrintFunction(std::string_view name, const std::vector<ExprId>& arguments,
                     bool in_product = false) {
    out_.append(name).append("(");
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (k > 0) out_.append(", ");
      Print(arguments[k], 0, in_product);
    }
    out_.append(")");
  }

  void PrintConvert(const Expr& expr, const Convert& convert, int context) {
    const Expr& operand = graph_.exprs[convert.operand];
    if (operand.type == expr.type) return Print(convert.operand, context);
    if (expr.type == ScalarType::Bool) return PrintTruth(convert.operand, context);
    if (const auto* literal = std::get_if<Literal>(&operand.node);
        literal != nullptr && !IsFloating(operand.type) && expr.type == ScalarType::Double) {
      return PrintLiteral(expr, {static_cast<double>(literal->integer), 0}, context);
    }
    const bool to_int = expr.type == ScalarType::Int && IsFloating(operand.type);
    PrintFunction(to_int ? "ToInt" : ToString(expr.type), {convert.operand});
  }

  const graph::Graph& graph_;
  ExprLeaves& leaves_;
  bool exact_products_;
  std::string out_;
};

}  // namespace

std::string PrintExpr(const graph::Graph& graph, ExprId expr, ExprLeaves& leaves,
                      bool exact_products) {
  Printer printer(graph, leaves, exact_products);
  printer.Print(expr, 0);
  return printer.Take();
}

}  // namespace stencilgen::codegen
