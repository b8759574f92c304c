#include "kernel/verify_expr.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "support/match.h"

namespace stencilgen::kernel {
namespace {

bool IsNumeric(Type type) {
  return IsInteger(type) || IsFloating(type);
}

/// Operands of one operation.
bool Agree(const Expr& a, const Expr& b) {
  return Fits(a, {b.type().of, a.type().width}) || Fits(b, {a.type().of, b.type().width});
}

bool WidthsAgree(Type a, Type b) {
  return a.width == b.width || (a.width != Width::One && b.width != Width::One);
}

}  // namespace

bool Fits(const Expr& value, Type type) {
  const Type own = value.type();
  if (own.width != type.width && !(own.width == Width::Vector && type.width == Width::Pack)) {
    return false;
  }
  if (own.of == type.of || (IsInteger(own) && IsInteger(type))) return true;
  return NumberOf(value).has_value() && IsNumeric(type);
}

void ExprVerifier::Report(const Expr& expr, std::string_view what) {
  std::string text = Print(expr);
  constexpr std::size_t kMost = 80;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  report_(fmt::format("{} in `{}`", what, text));
}

void ExprVerifier::CheckPosition(const Expr& expr, const char* what) {
  if (!expr.Valid()) return report_(fmt::format("{} is missing", what));
  Check(expr);
  if (!IsInteger(expr.type()) || expr.type().width != Width::One) {
    Report(expr, fmt::format("{} that is no integer", what));
  }
}

void ExprVerifier::CheckCondition(const Expr& expr) {
  if (!expr.Valid()) return report_("a condition is missing");
  Check(expr);
  if (expr.type() != kBool) {
    Report(expr, "a condition that is no truth");
  }
}

void ExprVerifier::CheckAddress(const Expr& expr) {
  if (!expr.Valid()) return report_("an address is missing");
  Check(expr);
  if (expr.type() != kAddress) {
    Report(expr, "an address that is none");
  }
}

/// A sum of thousands of terms must not recurse once a term.
void ExprVerifier::Check(const Expr& expr) {
  if (!expr.Valid()) return report_("an expression is missing");
  const Expr* each = &expr;
  for (;;) {
    const auto* binary = each->As<BinaryExpr>();
    if (binary == nullptr) break;
    if (!binary->lhs.Valid() || !binary->rhs.Valid()) return report_("an operand is missing");
    Check(binary->rhs);
    CheckBinary(*binary, *each);
    each = &binary->lhs;
  }
  CheckNode(*each);
}

void ExprVerifier::CheckNode(const Expr& expr) {
  Match(
      expr.node().what, [](const ConstExpr&) {},
      [&](const VarExpr& each) {
        use_(each.var, false);
        if (each.var->storage == Storage::Registers) {
          return Report(expr, "an array of registers as a value");
        }
        const Type type = each.var->storage == Storage::Value ? each.var->type : kAddress;
        if (expr.type() != type) Report(expr, "another type than the variable's");
      },
      [&](const ElementExpr& each) {
        CheckElement(each);
        if (expr.type().of != each.array->type.of) {
          Report(expr, "another type than the elements'");
        }
      },
      [&](const AddressExpr& each) {
        use_(each.array, false);
        CheckPosition(each.offset, "an offset");
        const Storage storage = each.array->storage;
        if (storage == Storage::Value || storage == Storage::Registers) {
          Report(expr, "the address of what is not in memory");
        }
        if (expr.type() != kAddress) Report(expr, "an address of another type");
      },
      [&](const PlaceExpr& each) {
        if (target_ != Target::Device) Report(expr, "a place in a grid, without a device");
        if (each.axis < 0 || each.axis > 2) Report(expr, "an axis that grids do not have");
        if (!IsInteger(expr.type())) Report(expr, "a place that is no integer");
      },
      [&](const UnaryExpr& each) { CheckUnary(each, expr); }, [](const BinaryExpr&) {},  // by Check
      [&](const ConditionalExpr& each) { CheckConditional(each, expr); },
      [&](const CallExpr& each) { CheckCall(each, expr); },
      [&](const ConvertExpr& each) {
        Check(each.operand);
        const Type from = each.operand.type();
        if (from.width != expr.type().width || from.of == Elementary::Address ||
            expr.type().of == Elementary::Address) {
          Report(expr, "a conversion that there is not");
        }
      });
}

void ExprVerifier::CheckElement(const ElementExpr& element) {
  use_(element.array, false);
  CheckPosition(element.index, "an index");
  const Var& array = *element.array;
  if (array.storage == Storage::Value) {
    return report_(fmt::format("an element of {}, which is a value", array.name));
  }
  const auto number = NumberOf(element.index);
  if (array.storage != Storage::Registers || !number) return;
  if (*number < 0 || *number >= array.count) {
    report_(fmt::format("element {} of {}, which has {}", *number, array.name, array.count));
  }
}

void ExprVerifier::CheckUnary(const UnaryExpr& unary, const Expr& expr) {
  Check(unary.operand);
  const Type type = unary.operand.type();
  if (unary.op == UnaryOp::Not) {
    if (type.of != Elementary::Bool) Report(expr, "a negation of what is no truth");
  } else if (!IsNumeric(type)) {
    Report(expr, "an operand that is no number");
  }
  if (expr.type() != type) Report(expr, "another type than the operand's");
}

void ExprVerifier::CheckBinary(const BinaryExpr& binary, const Expr& expr) {
  const Type lhs = binary.lhs.type();
  const Type rhs = binary.rhs.type();
  if (!WidthsAgree(lhs, rhs)) return Report(expr, "one value and several");
  if (expr.type().width != std::max(lhs.width, rhs.width)) {
    Report(expr, "another number of values than the operands have");
  }
  if (IsLogical(binary.op)) {
    if (lhs.of != Elementary::Bool || rhs.of != Elementary::Bool) {
      Report(expr, "operands that are no truths");
    }
  } else if (!Agree(binary.lhs, binary.rhs)) {
    Report(expr, fmt::format("operands of types {} and {}", ToString(lhs.of), ToString(rhs.of)));
  } else if (lhs.of == Elementary::Address || rhs.of == Elementary::Address) {
    Report(expr, "arithmetic with addresses");
  }
  const bool floating = IsFloating(lhs) || IsFloating(rhs);
  const bool of_integers = IsBitwise(binary.op) || binary.op == BinaryOp::Mod;
  if (floating && of_integers) Report(expr, "an operation that floating values do not have");
  if (binary.op == BinaryOp::Power) Report(expr, "a power that is no call");
  const bool truth = IsComparison(binary.op) || IsLogical(binary.op);
  if (truth != (expr.type().of == Elementary::Bool) && !IsBitwise(binary.op)) {
    // C++ computes with truths as integers.
    Report(expr, truth ? "a truth as another type" : "a truth that is a number");
  }
}

void ExprVerifier::CheckConditional(const ConditionalExpr& conditional, const Expr& expr) {
  CheckCondition(conditional.condition);
  Check(conditional.then_value);
  Check(conditional.else_value);
  if (!Agree(conditional.then_value, conditional.else_value) ||
      !WidthsAgree(conditional.then_value.type(), conditional.else_value.type())) {
    Report(expr, "alternatives of different types");
  }
}

void ExprVerifier::CheckArguments(const CallExpr& call, std::size_t count, Type type,
                                  const Expr& expr) {
  if (call.arguments.size() != count) {
    return Report(expr, fmt::format("{} arguments instead of {}", call.arguments.size(), count));
  }
  for (const Expr& argument : call.arguments) {
    const bool fits = Fits(argument, type) ||
                      (type.width == Width::Pack && Fits(argument, {type.of, Width::Vector}));
    if (!fits) Report(expr, "an argument of another type");
  }
}

void ExprVerifier::CheckCall(const CallExpr& call, const Expr& expr) {
  for (const Expr& argument : call.arguments) {
    if (!argument.Valid()) return report_("an argument is missing");
  }
  Match(
      call.callee,
      [&](stencilgen::Function function) {
        for (const Expr& argument : call.arguments) Check(argument);
        CheckFunction(function, call, expr);
      },
      [&](Routine routine) { CheckRoutine(routine, call, expr); });
}

void ExprVerifier::CheckFunction(stencilgen::Function function, const CallExpr& call,
                                 const Expr& expr) {
  using F = stencilgen::Function;
  CheckArguments(call, static_cast<std::size_t>(Info(function).arity), expr.type(), expr);
  const bool of_all = function == F::Min || function == F::Max || function == F::Abs;
  if (!IsFloating(expr.type()) && !(of_all && IsInteger(expr.type()))) {
    Report(expr, "a function that its type does not have");
  }
  const bool of_packs = of_all || function == F::Sqrt || function == F::Fma ||
                        function == F::Fabs || function == F::RoundHalf ||
                        function == F::RoundBFloat16;
  if (expr.type().width != Width::One && !of_packs) Report(expr, "a function that packs lack");
}

void ExprVerifier::CheckRoutine(Routine routine, const CallExpr& call, const Expr& expr) {
  const bool names_pack = routine == Routine::AsPack || routine == Routine::LoadPack;
  for (std::size_t n = names_pack ? 1 : 0; n < call.arguments.size(); ++n) {
    Check(call.arguments[n]);
  }
  switch (routine) {
    case Routine::SafeDivide:
    case Routine::SafeModulo:
      CheckArguments(call, 2, kInt, expr);
      if (expr.type() != kInt) Report(expr, "another type than int");
      return;
    case Routine::MulRn:
      CheckArguments(call, 2, expr.type(), expr);
      if (!IsFloating(expr.type())) Report(expr, "a rounded product that is not floating");
      return;
    case Routine::FastDivide:
      CheckArguments(call, 2, expr.type(), expr);
      if (expr.type() != TypeOf(ScalarType::Float)) Report(expr, "another type than float");
      return;
    case Routine::ReciprocalRoot:
      CheckArguments(call, 1, expr.type(), expr);
      if (!IsFloating(expr.type())) Report(expr, "a root that is not floating");
      return;
    case Routine::IntPower:
    case Routine::IntPowerRn:
      CheckArguments(call, 1, expr.type(), expr);
      if (call.constants.size() != 1 || call.constants[0] < 0) Report(expr, "a negative exponent");
      return;
    case Routine::ClampIndex:
    case Routine::MirrorIndex:
    case Routine::Mirror101Index:
    case Routine::WrapIndex:
    case Routine::FloorDiv:
    case Routine::CeilDiv:
      CheckArguments(call, 2, kIndex, expr);
      if (!IsInteger(expr.type())) Report(expr, "a position that is no integer");
      return;
    case Routine::IsInside:
      CheckArguments(call, 2, kIndex, expr);
      if (expr.type() != kBool) Report(expr, "a truth as another type");
      return;
    case Routine::Largest:
    case Routine::Least:
    case Routine::Threads:
    case Routine::PastCaches:
    case Routine::ToLine:
    case Routine::ToVector:
    case Routine::TileRows:
      return CheckHostRoutine(routine, call, expr);
    case Routine::Opaque:
    case Routine::Anchor:
      CheckArguments(call, 1, expr.type(), expr);
      if ((routine == Routine::Anchor) != (expr.type() == kAddress)) {
        Report(expr, "an anchor of no address");
      }
      return;
    case Routine::ShuffleUp:
    case Routine::ShuffleDown:
      return CheckShuffle(call, expr);
    default:
      return CheckPackRoutine(routine, call, expr);
  }
}

void ExprVerifier::CheckHostRoutine(Routine routine, const CallExpr& call, const Expr& expr) {
  switch (routine) {
    case Routine::Largest:
    case Routine::Least:
      if (target_ != Target::Host) Report(expr, "extremes of the host on a device");
      CheckArguments(call, std::max<std::size_t>(call.arguments.size(), 1), kIndex, expr);
      if (!IsInteger(expr.type())) Report(expr, "a position that is no integer");
      return;
    case Routine::Threads:
      if (target_ != Target::Host) Report(expr, "threads of the host on a device");
      CheckArguments(call, 0, kIndex, expr);
      if (!IsInteger(expr.type())) Report(expr, "a count that is no integer");
      return;
    case Routine::PastCaches:
      if (target_ != Target::Host) Report(expr, "caches of the host on a device");
      CheckArguments(call, 1, kIndex, expr);
      if (expr.type() != kBool) Report(expr, "a truth as another type");
      return;
    case Routine::ToLine:
    case Routine::ToVector:
    case Routine::TileRows:
      if (target_ != Target::Host) Report(expr, "caches of the host on a device");
      if (routine == Routine::TileRows) {
        CheckArguments(call, 4, kIndex, expr);
      } else {
        CheckArguments(call, 1, kAddress, expr);
      }
      if (!IsInteger(expr.type())) Report(expr, "a count that is no integer");
      return;
    default:
      return;
  }
}

void ExprVerifier::CheckShuffle(const CallExpr& call, const Expr& expr) {
  if (target_ != Target::Device) Report(expr, "a shuffle without a device");
  if (call.arguments.size() != 3 || !Fits(call.arguments[1], kIndex) ||
      !Fits(call.arguments[2], kIndex)) {
    return Report(expr, "a shuffle without a distance and a width");
  }
  if (expr.type() != call.arguments[0].type() || expr.type().width != Width::One) {
    Report(expr, "another type than the value's");
  }
}

void ExprVerifier::CheckPackRoutine(Routine routine, const CallExpr& call, const Expr& expr) {
  const Type type = expr.type();
  if (target_ != Target::Host) Report(expr, "packs on a device");
  if (!IsFloating(type) || type.width == Width::One) Report(expr, "a pack of no floating values");
  const std::vector<Expr>& arguments = call.arguments;
  switch (routine) {
    case Routine::MulSub:
      return CheckArguments(call, 3, type, expr);
    case Routine::Broadcast:
      return CheckArguments(call, 1, {type.of}, expr);
    case Routine::Select:
      if (arguments.size() != 3 || arguments[0].type() != Type{Elementary::Bool, Width::Pack}) {
        return Report(expr, "a selection without a mask");
      }
      if (!Fits(arguments[1], {type.of, arguments[1].type().width}) ||
          !Fits(arguments[2], {type.of, arguments[2].type().width}) ||
          arguments[1].type().width == Width::One || arguments[2].type().width == Width::One) {
        Report(expr, "an argument of another type");
      }
      return;
    case Routine::AsPack:
    case Routine::LoadPack: {
      const auto* name = arguments.size() == 2 ? arguments[0].As<VarExpr>() : nullptr;
      if (name == nullptr) return Report(expr, "a pack of no named type");
      use_(name->var, true);
      if (name->var->type.of != type.of) Report(expr, "another type than the pack's");
      if (routine == Routine::LoadPack) return CheckAddress(arguments[1]);
      if (!Fits(arguments[1], {type.of, Width::Vector})) {
        Report(expr, "an argument of another type");
      }
      return;
    }
    case Routine::Beside:
    case Routine::Shifted: {
      const std::size_t first = routine == Routine::Beside ? 1 : 0;
      if (arguments.size() != first + 3 || call.constants.size() != 1) {
        return Report(expr, "neighbours of no vectors");
      }
      if (first == 1) CheckAddress(arguments[0]);
      for (std::size_t n = first; n < arguments.size(); ++n) {
        if (arguments[n].type() != type) Report(expr, "an argument of another type");
      }
      return;
    }
    default:
      return;
  }
}

}  // namespace stencilgen::kernel
