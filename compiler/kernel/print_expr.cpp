#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/expr.h"
#include "support/literal_text.h"
#include "support/match.h"

namespace stencilgen::kernel {
namespace {

constexpr int kSumPrecedence = 9;
constexpr int kComparable = 6;  // equality: what `x != 0` is

std::string_view Name(Routine routine) {
  switch (routine) {
    case Routine::SafeDivide:
      return "SafeDivide";
    case Routine::SafeModulo:
      return "SafeModulo";
    case Routine::FastDivide:
      return "FastDivide";
    case Routine::ReciprocalRoot:
      return "ReciprocalRoot";
    case Routine::MulRn:
      return "MulRn";
    case Routine::IntPower:
      return "IntPower";
    case Routine::IntPowerRn:
      return "IntPowerRn";
    case Routine::ClampIndex:
      return "ClampIndex";
    case Routine::MirrorIndex:
      return "MirrorIndex";
    case Routine::Mirror101Index:
      return "Mirror101Index";
    case Routine::WrapIndex:
      return "WrapIndex";
    case Routine::IsInside:
      return "IsInside";
    case Routine::Opaque:
      return "Opaque";
    case Routine::Anchor:
      return "Anchor";
    case Routine::FloorDiv:
      return "FloorDiv";
    case Routine::CeilDiv:
      return "CeilDiv";
    case Routine::Threads:
      return "Threads";
    case Routine::PastCaches:
      return "PastCaches";
    case Routine::ToLine:
      return "ElementsToLine";
    case Routine::ToVector:
      return "ElementsToVector";
    case Routine::TileRows:
      return "TileRows";
    case Routine::Largest:
      return "std::max<long long>";
    case Routine::Least:
      return "std::min<long long>";
    case Routine::ShuffleUp:
      return "ShuffleUp";
    case Routine::ShuffleDown:
      return "ShuffleDown";
    case Routine::MulSub:
      return "MulSub";
    case Routine::Select:
      return "Select";
    case Routine::Broadcast:
      return "Broadcast";
    case Routine::Beside:
      return "Beside";
    case Routine::Shifted:
      return "Shifted";
    case Routine::AsPack:
    case Routine::LoadPack:
      break;
  }
  return "Load";
}

std::string Name(stencilgen::Function function, Type type) {
  using stencilgen::Function;
  if (type.width == Width::Pack) {
    return function == Function::Min             ? "PackMin"
           : function == Function::Max           ? "PackMax"
           : function == Function::Sqrt          ? "PackSqrt"
           : function == Function::Fma           ? "MulAdd"
           : function == Function::RoundHalf     ? "PackRoundHalf"
           : function == Function::RoundBFloat16 ? "PackRoundBFloat16"
                                                 : "PackFabs";
  }
  if (function == Function::Min) return "Min";
  if (function == Function::Max) return "Max";
  if (function == Function::Abs && !IsFloating(type)) return "Abs";
  if (function == Function::RoundHalf) return "RoundHalf";
  if (function == Function::RoundBFloat16) return "RoundBFloat16";
  const std::string_view name = Info(function == Function::Abs ? Function::Fabs : function).name;
  return fmt::format("{}{}", name, type.of == Elementary::Float ? "f" : "");
}

/// Appends to one buffer: long sums are deep trees, and joining strings would be quadratic.
class Printer {
 public:
  /// Parenthesised where the expression binds less than `context`.
  void Print(const Expr& expr, int context) {
    Match(
        expr.node().what,
        [&](const ConstExpr& each) { Leaf(ConstText(each, expr.type()), context); },
        [&](const VarExpr& each) { out_.append(each.var->name); },
        [&](const ElementExpr& each) {
          const bool narrow = each.array->format != ElementFormat::Plain;
          if (narrow) out_.append(ToString(expr.type().of)).push_back('(');
          PrintPlace(each);
          if (narrow) out_.push_back(')');
        },
        [&](const AddressExpr& each) { PrintAddress(each, context); },
        [&](const PlaceExpr& each) { PrintPlace(each, expr.type()); },
        [&](const UnaryExpr& each) { PrintUnary(each, context); },
        [&](const BinaryExpr& each) { PrintBinary(each, expr.type(), context); },
        [&](const ConditionalExpr& each) { PrintConditional(each, context); },
        [&](const CallExpr& each) { PrintCall(each, expr.type()); },
        [&](const ConvertExpr& each) {
          const bool to_int = expr.type() == kInt && IsFloating(each.operand.type());
          PrintArguments(to_int ? "ToInt" : ToString(expr.type().of), {each.operand});
        });
  }

  void PrintPlace(const ElementExpr& element) {
    out_.append(element.array->name).push_back('[');
    Print(element.index, 0);
    out_.push_back(']');
  }

  std::string Take() { return std::move(out_); }

 private:
  static std::string ConstText(const ConstExpr& constant, Type type) {
    switch (type.of) {
      case Elementary::Bool:
        return LiteralText(ScalarType::Bool, constant.integer);
      case Elementary::Int:
        return LiteralText(ScalarType::Int, constant.integer);
      case Elementary::Float:
        return LiteralText(ScalarType::Float, constant.value);
      case Elementary::Double:
        return LiteralText(ScalarType::Double, constant.value);
      case Elementary::Index:
      case Elementary::Address:
        break;
    }
    return IndexText(constant.integer);
  }

  void Leaf(const std::string& text, int context) {
    const int precedence = text.front() == '-' ? kUnaryPrecedence : kPrimaryPrecedence;
    Parenthesised(precedence, context, [&] { out_.append(text); });
  }

  template <typename Body>
  void Parenthesised(int precedence, int context, Body body) {
    if (precedence < context) out_.push_back('(');
    body();
    if (precedence < context) out_.push_back(')');
  }

  void PrintAddress(const AddressExpr& address, int context) {
    if (NumberOf(address.offset) == std::int64_t{0}) {
      out_.append(address.array->name);
      return;
    }
    Parenthesised(kSumPrecedence, context, [&] {
      const auto number = NumberOf(address.offset);
      const bool before = number && *number < 0;
      out_.append(address.array->name).append(before ? " - " : " + ");
      Print(before ? Number(-*number) : address.offset, kSumPrecedence + 1);
    });
  }

  void PrintPlace(const PlaceExpr& place, Type type) {
    const std::string_view name = place.what == PlaceExpr::What::Thread  ? "threadIdx"
                                  : place.what == PlaceExpr::What::Block ? "blockIdx"
                                                                         : "gridDim";
    out_.append(fmt::format("{}({}.{})", ToString(type.of), name, "xyz"[place.axis]));
  }

  void PrintUnary(const UnaryExpr& unary, int context) {
    Parenthesised(kUnaryPrecedence, context, [&] {
      out_.append(ToString(unary.op));
      // `- -x` must not become a decrement.
      Print(unary.operand, kUnaryPrecedence + 1);
    });
  }

  /// Compilers suspect a mistake in `a < b < c`, `a & b == c` and `a && b || c`: operands of
  /// comparisons, bitwise and logical operators get parentheses unless their kind is no surprise.
  static int OperandContext(BinaryOp op, const Expr& operand, bool left) {
    const int precedence = Precedence(op);
    const auto* inner = operand.As<BinaryExpr>();
    const bool same = inner != nullptr && inner->op == op && left;
    if (IsLogical(op)) return same ? precedence : kComparable;
    if (IsBitwise(op)) return same ? precedence : kUnaryPrecedence;
    if (IsComparison(op)) {
      const auto* unary = operand.As<UnaryExpr>();
      const bool negated = unary != nullptr && unary->op == UnaryOp::Not;
      return negated ? kPrimaryPrecedence : kSumPrecedence;
    }
    return left ? precedence : precedence + 1;
  }

  /// Masks of packs have bits.
  static std::string_view Sign(BinaryOp op, Type type) {
    if (type.width == Width::Pack && op == BinaryOp::And) return "&";
    if (type.width == Width::Pack && op == BinaryOp::Or) return "|";
    return ToString(op);
  }

  static bool IsSum(BinaryOp op) { return op == BinaryOp::Add || op == BinaryOp::Sub; }

  void PrintBinary(const BinaryExpr& binary, Type type, int context) {
    Parenthesised(Precedence(binary.op), context, [&] {
      if (IsSum(binary.op)) return PrintSum(binary);
      Print(binary.lhs, OperandContext(binary.op, binary.lhs, true));
      out_.append(" ").append(Sign(binary.op, type)).append(" ");
      Print(binary.rhs, OperandContext(binary.op, binary.rhs, false));
    });
  }

  /// A sum of thousands of terms must not recurse once a term.
  void PrintSum(const BinaryExpr& outermost) {
    std::vector<const BinaryExpr*> sums = {&outermost};
    for (;;) {
      const auto* sum = sums.back()->lhs.As<BinaryExpr>();
      if (sum == nullptr || !IsSum(sum->op)) break;
      sums.push_back(sum);
    }
    std::reverse(sums.begin(), sums.end());
    Print(sums.front()->lhs, kSumPrecedence);
    for (const BinaryExpr* sum : sums) {
      out_.append(" ").append(ToString(sum->op)).append(" ");
      Print(sum->rhs, kSumPrecedence + 1);
    }
  }

  void PrintConditional(const ConditionalExpr& conditional, int context) {
    Parenthesised(kConditionalPrecedence, context, [&] {
      Print(conditional.condition, kConditionalPrecedence + 1);
      out_.append(" ? ");
      Print(conditional.then_value, kConditionalPrecedence + 1);
      out_.append(" : ");
      Print(conditional.else_value, kConditionalPrecedence);
    });
  }

  void PrintCall(const CallExpr& call, Type type) {
    Match(
        call.callee,
        [&](stencilgen::Function function) {
          PrintArguments(Name(function, type), call.arguments);
        },
        [&](Routine routine) { PrintRoutine(routine, call); });
  }

  void PrintRoutine(Routine routine, const CallExpr& call) {
    switch (routine) {
      case Routine::AsPack:
        Print(call.arguments[0], kPrimaryPrecedence);
        return PrintArguments("", {call.arguments[1]});
      case Routine::LoadPack:
        return PrintArguments(fmt::format("Load<{}>", kernel::Print(call.arguments[0])),
                              {call.arguments[1]});
      case Routine::IntPower:
      case Routine::IntPowerRn:
      case Routine::Beside:
      case Routine::Shifted:
        return PrintArguments(fmt::format("{}<{}>", Name(routine), fmt::join(call.constants, ", ")),
                              call.arguments);
      case Routine::Largest:
      case Routine::Least:
        PrintArguments(Name(routine), call.arguments, "({", "})");
        return;
      default:
        PrintArguments(Name(routine), call.arguments);
    }
  }

  void PrintArguments(std::string_view name, const std::vector<Expr>& arguments,
                      std::string_view open = "(", std::string_view close = ")") {
    out_.append(name).append(open);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (k > 0) out_.append(", ");
      Print(arguments[k], 0);
    }
    out_.append(close);
  }

  std::string out_;
};

}  // namespace

std::string Print(const Expr& expr, int context) {
  Printer printer;
  printer.Print(expr, context);
  return printer.Take();
}

std::string PrintTarget(const Expr& target) {
  const auto* element = target.As<ElementExpr>();
  if (element == nullptr) return Print(target);
  Printer printer;
  printer.PrintPlace(*element);
  return printer.Take();
}

std::string Print(const Expr& expr) {
  return Print(expr, 0);
}

}  // namespace stencilgen::kernel
