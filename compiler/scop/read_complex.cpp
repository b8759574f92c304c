// std::complex: ExprReader's part for its operators, functions and members, which are calls.
#include <map>
#include <string_view>
#include <utility>

#include "scop/cursor.h"
#include "scop/read_expr.h"

namespace stencilgen::scop {
namespace {

constexpr std::string_view kOperator = "operator";

std::optional<BinaryOp> OperatorOf(std::string_view symbol) {
  if (symbol == "+") return BinaryOp::Add;
  if (symbol == "-") return BinaryOp::Sub;
  if (symbol == "*") return BinaryOp::Mul;
  if (symbol == "/") return BinaryOp::Div;
  if (symbol == "==") return BinaryOp::Equal;
  if (symbol == "!=") return BinaryOp::NotEqual;
  return std::nullopt;
}

/// What the language calls a function of <complex>; empty where it has none.
std::string_view FunctionOf(std::string_view name) {
  for (const std::string_view same : {"real", "imag", "conj", "abs", "arg", "exp"}) {
    if (name == same) return same;
  }
  return name == "norm" ? "abs2" : "";
}

CXCursor Argument(CXCursor call, unsigned k) {
  return clang_Cursor_getArgument(call, k);
}

CType TypeOfArgument(CXCursor call, unsigned k) {
  return TypeOf(clang_getCursorType(Unwrap(Argument(call, k))));
}

/// The complex number whose member is called.
std::optional<CXCursor> ObjectOf(CXCursor call) {
  const std::vector<CXCursor> parts = ChildrenOf(call);
  if (parts.empty() || clang_getCursorKind(parts[0]) != CXCursor_MemberRefExpr) {
    return std::nullopt;
  }
  const std::vector<CXCursor> base = ChildrenOf(parts[0]);
  if (base.empty() || !IsComplex(TypeOf(clang_getCursorType(Unwrap(base[0]))))) {
    return std::nullopt;
  }
  return base[0];
}

}  // namespace

bool IsComplexCall(CXCursor call) {
  return ObjectOf(call) ||
         (clang_Cursor_getNumArguments(call) > 0 && IsComplex(TypeOfArgument(call, 0)));
}

std::optional<std::string> ComplexOperator(CXCursor call) {
  const std::string name = TakeString(clang_getCursorSpelling(call));
  const int count = clang_Cursor_getNumArguments(call);
  if (name.rfind(kOperator, 0) != 0 || count < 1 || count > 2) return std::nullopt;
  const bool complex =
      IsComplex(TypeOfArgument(call, 0)) || (count == 2 && IsComplex(TypeOfArgument(call, 1)));
  if (!complex) return std::nullopt;
  return name.substr(kOperator.size());
}

std::optional<std::optional<BinaryOp>> ComplexUpdate(CXCursor call) {
  static const std::map<std::string, std::optional<BinaryOp>> kUpdates = {{"=", {}},
                                                                          {"+=", BinaryOp::Add},
                                                                          {"-=", BinaryOp::Sub},
                                                                          {"*=", BinaryOp::Mul},
                                                                          {"/=", BinaryOp::Div}};
  const auto symbol = ComplexOperator(call);
  const auto found = symbol ? kUpdates.find(*symbol) : kUpdates.end();
  if (found == kUpdates.end()) return std::nullopt;
  return found->second;
}

std::optional<std::optional<ExprId>> ExprReader::ReadComplexCall(CXCursor call, Span span) {
  const std::string name = TakeString(clang_getCursorSpelling(call));
  const int count = clang_Cursor_getNumArguments(call);
  const CType type = TypeOf(clang_getCursorType(call));
  if (name == "complex" && IsComplex(type)) return ReadComplexNumber(call, type, span);
  if (IsComplex(type) && count == 1 && name.rfind("operator\"\"", 0) == 0) {
    const auto value = FloatingValue(Argument(call, 0));
    const auto whole = IntegerValue(Argument(call, 0));
    if (!value && !whole) return Refuse(call, span);
    return Add({Floating{value ? *value : static_cast<double>(*whole), true}, type, span});
  }
  if (const auto symbol = ComplexOperator(call)) {
    const auto op = OperatorOf(*symbol);
    const bool sign = *symbol == "+" || *symbol == "-";
    if (!op && symbol->back() == '=') return RefuseAssignment(span);
    if (!op || (count == 1 && !sign)) return Refuse(call, span);
    const auto first = Read(Argument(call, 0));
    if (count == 1) {
      if (!first) return first;
      return Add({Unary{*symbol == "-" ? UnaryOp::Negate : UnaryOp::Plus, *first}, type, span});
    }
    const auto second = Read(Argument(call, 1));
    if (!first || !second) return std::optional<ExprId>{};
    return Add({Binary{*op, *first, *second}, type, span});
  }
  const auto object = count == 0 ? ObjectOf(call) : std::nullopt;
  const bool of_complex = object || (count == 1 && IsComplex(TypeOfArgument(call, 0)));
  const std::string_view function = of_complex ? FunctionOf(name) : "";
  if (function.empty()) return std::nullopt;
  const auto operand = Read(object ? *object : Argument(call, 0));
  if (!operand) return operand;
  return Add({Call{std::string(function), {*operand}}, type, span});
}

ExprId ExprReader::AsPart(ExprId id, CType part) {
  const Expr expr = region_.exprs[id];
  std::optional<double> number;
  if (const auto* whole = std::get_if<Integer>(&expr.node)) {
    number = static_cast<double>(whole->value);
  } else if (const auto* literal = std::get_if<Floating>(&expr.node)) {
    number = literal->value;
  }
  if (!number) return IsComplex(expr.type) ? id : *Converted(id, part);
  const double held = part == CType::Float ? static_cast<float>(*number) : *number;
  return Add({Floating{held}, part, expr.span});
}

std::optional<ExprId> ExprReader::ReadComplexNumber(CXCursor call, CType type, Span span) {
  const CType part = RealTypeOf(type);
  const int count = clang_Cursor_getNumArguments(call);
  std::vector<ExprId> parts;
  for (int k = 0; k < count; ++k) {
    const CXCursor argument = Argument(call, static_cast<unsigned>(k));
    if (clang_Range_isNull(clang_getCursorExtent(argument)) != 0) break;  // 0 by default
    const auto value = Read(argument);
    if (!value) return std::nullopt;
    parts.push_back(AsPart(*value, part));
  }
  if (parts.empty()) return Add({Floating{0}, part, span});
  if (parts.size() == 1) {  // a conversion, or a copy
    return region_.exprs[parts[0]].type == type ? parts[0] : Add({Cast{parts[0]}, type, span});
  }
  const Expr second = region_.exprs[parts[1]];
  const auto* number = std::get_if<Floating>(&second.node);
  const ExprId imaginary = Add({Floating{number != nullptr ? number->value : 1, true}, type, span});
  const ExprId product =
      number != nullptr ? imaginary : Add({Binary{BinaryOp::Mul, imaginary, parts[1]}, type, span});
  return Add({Binary{BinaryOp::Add, parts[0], product}, type, span});
}

}  // namespace stencilgen::scop
