#include "scop/read_expr.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scop/cursor.h"
#include "scop/evaluate.h"
#include "support/functions.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kTable{
    "c-function", Severity::Error,
    "a function that is called here has the table `{}`, and names an element that is not known"};
constexpr DiagnosticKind<std::string> kUnknownExpression{"c-expression", Severity::Error,
                                                         "a region has no counterpart for {}"};
constexpr DiagnosticKind<std::string> kCall{"c-call", Severity::Error,
                                            "`{}` is called, and what it does is not known here"};
constexpr DiagnosticKind<std::string> kClass{
    "c-class", Severity::Error,
    "this is an operator of the class `{}`, and what it does is not known here"};
constexpr DiagnosticKind<> kSideEffect{"c-side-effect", Severity::Error,
                                       "an assignment inside of an expression"};
constexpr DiagnosticKind<std::string> kNotAPlace{
    "c-place", Severity::Error, "{} is no element of an array that the region names"};

/// Functions of C's library by their names without `f` for float.
std::optional<Function> MathFunction(std::string name) {
  if (name.rfind("__builtin_", 0) == 0) name = name.substr(10);
  if (name == "fmax" || name == "fmaxf") return Function::Max;
  if (name == "fmin" || name == "fminf") return Function::Min;
  if (auto found = FindFunction(name)) return found;
  if (!name.empty() && name.back() == 'f') return FindFunction(name.substr(0, name.size() - 1));
  return std::nullopt;
}

/// The type of an object whose class has the operator that is called.
std::optional<CXType> ObjectOf(CXCursor call, const std::string& name) {
  if (name.rfind("operator", 0) != 0 || name == "operator()") return std::nullopt;
  const int count = clang_Cursor_getNumArguments(call);
  for (int k = 0; k < count; ++k) {
    const CXType type =
        clang_getCursorType(clang_Cursor_getArgument(call, static_cast<unsigned>(k)));
    if (clang_getCanonicalType(type).kind == CXType_Record) return type;
  }
  return std::nullopt;
}

std::optional<BinaryOp> OperatorOf(CXBinaryOperatorKind kind) {
  switch (kind) {
    case CXBinaryOperator_Add:
      return BinaryOp::Add;
    case CXBinaryOperator_Sub:
      return BinaryOp::Sub;
    case CXBinaryOperator_Mul:
      return BinaryOp::Mul;
    case CXBinaryOperator_Div:
      return BinaryOp::Div;
    case CXBinaryOperator_Rem:
      return BinaryOp::Mod;
    case CXBinaryOperator_LT:
      return BinaryOp::Less;
    case CXBinaryOperator_LE:
      return BinaryOp::LessEqual;
    case CXBinaryOperator_GT:
      return BinaryOp::Greater;
    case CXBinaryOperator_GE:
      return BinaryOp::GreaterEqual;
    case CXBinaryOperator_EQ:
      return BinaryOp::Equal;
    case CXBinaryOperator_NE:
      return BinaryOp::NotEqual;
    case CXBinaryOperator_And:
      return BinaryOp::BitAnd;
    case CXBinaryOperator_Or:
      return BinaryOp::BitOr;
    case CXBinaryOperator_LAnd:
      return BinaryOp::And;
    case CXBinaryOperator_LOr:
      return BinaryOp::Or;
    default:
      return std::nullopt;
  }
}

/// What an expression of this kind is called.
std::string Describe(CXCursor cursor) {
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_StringLiteral:
      return "a string";
    case CXCursor_BinaryOperator:
      return fmt::format("the operator `{}`", TakeString(clang_getBinaryOperatorKindSpelling(
                                                  clang_getCursorBinaryOperatorKind(cursor))));
    case CXCursor_UnaryOperator:
      return fmt::format(
          "the operator `{}`",
          TakeString(clang_getUnaryOperatorKindSpelling(clang_getCursorUnaryOperatorKind(cursor))));
    case CXCursor_LambdaExpr:
      return "a lambda";
    case CXCursor_InitListExpr:
      return "a list of values";
    case CXCursor_StmtExpr:
      return "a statement in an expression";
    default:
      return "this expression";
  }
}

bool ReturnsReference(CXCursor function) {
  return clang_getCursorResultType(function).kind == CXType_LValueReference;
}

bool IsAssignment(CXCursor cursor) {
  const CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
  return kind >= CXBinaryOperator_Assign && kind <= CXBinaryOperator_OrAssign;
}

}  // namespace

ExprId ExprReader::Add(Expr expr) {
  return region_.exprs.Add(std::move(expr));
}

ExprId ExprReader::Number(std::int64_t value, Span span) {
  Expr expr;
  expr.node = Integer{value};
  expr.type = CType::Int;
  expr.span = span;
  return Add(std::move(expr));
}

std::optional<ExprId> ExprReader::Refuse(CXCursor cursor, Span span) {
  sink_.Report(span, kUnknownExpression, Describe(cursor));
  return std::nullopt;
}

std::optional<ExprId> ExprReader::RefuseAssignment(Span span) {
  sink_.Report(span, kSideEffect).Hint("write it as a statement of its own");
  return std::nullopt;
}

std::optional<ExprId> ExprReader::Read(CXCursor wrapped) {
  const CXCursor cursor = Unwrap(wrapped);
  const Span span = SpanOf(cursor);
  const CXCursorKind kind = clang_getCursorKind(cursor);
  const CType type = TypeOf(clang_getCursorType(cursor));
  if (IsInteger(type) && kind != CXCursor_CompoundAssignOperator && !IsAssignment(cursor)) {
    if (const auto value = IntegerValue(cursor)) {
      return Add({Integer{*value}, type, span});
    }
  }
  switch (kind) {
    case CXCursor_FloatingLiteral:
      if (const auto value = FloatingValue(cursor); value && IsFloating(type)) {
        return Add({Floating{*value}, type, span});
      }
      return Refuse(cursor, span);
    case CXCursor_DeclRefExpr:
      if (const Bound* bound = BoundTo(clang_getCursorReferenced(cursor)); bound != nullptr) {
        if (bound->value) return Copied(*bound->value);
      }
      if (const auto at = references_.find(KeyOf(clang_getCursorReferenced(cursor)));
          at != references_.end()) {
        return Copied(at->second);
      }
      return ReadElement(cursor, span);
    case CXCursor_ArraySubscriptExpr:
      if (const auto own = OwnElementOf(cursor)) return ReadOwn(*own, cursor);
      return ReadElement(cursor, span);
    case CXCursor_MemberRefExpr:
      return ReadElement(cursor, span);
    case CXCursor_UnaryOperator:
      return ReadUnary(cursor, span);
    case CXCursor_BinaryOperator:
      return ReadBinary(cursor, span);
    case CXCursor_CompoundAssignOperator:
      return RefuseAssignment(span);
    case CXCursor_ConditionalOperator:
      return ReadChoice(cursor, span);
    case CXCursor_CallExpr:
      return SubscriptedContainer(cursor) ? ReadElement(cursor, span) : ReadCall(cursor, span);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
      return ReadCast(cursor, span);
    default:
      return Refuse(cursor, span);
  }
}

std::optional<ExprId> ExprReader::ReadTarget(CXCursor wrapped) {
  const CXCursor cursor = Unwrap(wrapped);
  return ReadElement(cursor, SpanOf(cursor));
}

std::optional<ExprId> ExprReader::ReadElement(CXCursor cursor, Span span) {
  auto place = ReadPlace(cursor);
  if (!place) return std::nullopt;
  const CType type = TypeOf(clang_getCursorType(cursor));
  const Variable& variable = region_.variables[place->variable];
  if (type == CType::Other || type == CType::Pointer) {
    sink_.Report(span, kNotAPlace, fmt::format("`{}` without more subscripts", variable.text))
        .Hint("regions compute with numbers: int, float, double and bool");
    return std::nullopt;
  }
  if (place->subscripts.empty() && variable.extents.empty()) {
    const bool narrow = variable.holds != ElementFormat::Plain;
    return Add({Use{place->variable}, narrow ? variable.type : type, span});
  }
  const bool narrow = variable.format != ElementFormat::Plain;
  Expr element{Element{place->variable, std::move(place->subscripts)},
               narrow ? TypeReadFrom(variable.format) : type, span};
  const bool own = !calls_.empty() && calls_.back().tables.count(place->variable) > 0;
  if (own && !PutTableValue(region_, element)) {
    sink_.Report(span, kTable, variable.text).Hint("declare it before the function");
    return std::nullopt;
  }
  return Add(std::move(element));
}

std::optional<ExprReader::Place> ExprReader::ReadPlace(CXCursor wrapped) {
  const CXCursor cursor = Unwrap(wrapped);
  const Span span = SpanOf(cursor);
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr: {
      const auto reference = references_.find(KeyOf(clang_getCursorReferenced(cursor)));
      if (reference != references_.end()) return PlaceIn(Copied(reference->second));
      if (auto row = RowOf(clang_getCursorReferenced(cursor))) return row;
      if (const auto variable = Named(cursor)) return Place{*variable, {}};
      return std::nullopt;
    }
    case CXCursor_ArraySubscriptExpr: {
      if (parts.size() != 2) break;
      auto base = ReadPointer(parts[0]);
      const auto subscript = Read(parts[1]);
      if (!base || !subscript) return std::nullopt;
      AddSubscript(*base, *subscript, span);
      return base;
    }
    case CXCursor_UnaryOperator: {
      if (clang_getCursorUnaryOperatorKind(cursor) != CXUnaryOperator_Deref) break;
      const CXCursor inner = Unwrap(parts[0]);
      const auto reference = references_.find(KeyOf(clang_getCursorReferenced(inner)));
      if (reference != references_.end()) return PlaceIn(Copied(reference->second));
      auto base = ReadRow(inner);
      if (!base) return std::nullopt;
      const ExprId first = base->ahead ? *std::exchange(base->ahead, {}) : Number(0, span);
      AddSubscript(*base, first, span);
      return base;
    }
    case CXCursor_CallExpr: {
      const auto object = SubscriptedContainer(cursor);
      const auto definition = object ? std::nullopt : FunctionDefinition(cursor);
      if (definition && ReturnsReference(*definition)) {
        return ReadReference(cursor, *definition, span);
      }
      if (!object) break;
      auto base = ReadPointer(*object);
      const auto subscript = Read(clang_Cursor_getArgument(cursor, 1));
      if (!base || !subscript) return std::nullopt;
      AddSubscript(*base, *subscript, span);
      return base;
    }
    default:
      break;
  }
  // What cannot be called at all says why.
  if (clang_getCursorKind(cursor) == CXCursor_CallExpr && !ReadCall(cursor, span)) {
    return std::nullopt;
  }
  sink_.Report(span, kNotAPlace, "this")
      .Hint("arrays are named, as `u[i][j]`, `p->u[i]` or `u[i*n + j]`");
  return std::nullopt;
}

std::optional<ExprReader::Place> ExprReader::ReadPointer(CXCursor wrapped) {
  return ReadPlace(wrapped);
}

std::optional<ExprId> ExprReader::ReadUnary(CXCursor cursor, Span span) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  const CType type = TypeOf(clang_getCursorType(cursor));
  switch (clang_getCursorUnaryOperatorKind(cursor)) {
    case CXUnaryOperator_Deref:
      return ReadElement(cursor, span);
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Minus:
    case CXUnaryOperator_LNot: {
      const auto operand = Read(parts[0]);
      if (!operand) return std::nullopt;
      const CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
      const UnaryOp op = kind == CXUnaryOperator_Plus    ? UnaryOp::Plus
                         : kind == CXUnaryOperator_Minus ? UnaryOp::Negate
                                                         : UnaryOp::Not;
      return Add({Unary{op, *operand}, type, span});
    }
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
      return RefuseAssignment(span);
    default:
      return Refuse(cursor, span);
  }
}

std::optional<ExprId> ExprReader::ReadBinary(CXCursor cursor, Span span) {
  if (IsAssignment(cursor)) {
    return RefuseAssignment(span);
  }
  const auto op = OperatorOf(clang_getCursorBinaryOperatorKind(cursor));
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  if (clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Xor && parts.size() == 2) {
    const auto value = Read(parts[0]);
    const auto bit = Read(parts[1]);
    if (!value || !bit) return std::nullopt;
    const auto flipped = FlippedBit(*value, *bit, span);
    return flipped ? flipped : Refuse(cursor, span);
  }
  const CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
  if (kind == CXBinaryOperator_Shl || kind == CXBinaryOperator_Shr) return ReadShift(cursor, span);
  if (!op || parts.size() != 2) return Refuse(cursor, span);
  const auto lhs = IsComparison(*op) ? ReadCompared(parts[0]) : Read(parts[0]);
  const auto rhs = IsComparison(*op) ? ReadCompared(parts[1]) : Read(parts[1]);
  if (!lhs || !rhs) return std::nullopt;
  return Add({Binary{*op, *lhs, *rhs}, TypeOf(clang_getCursorType(cursor)), span});
}

std::optional<ExprId> ExprReader::Converted(ExprId id, CType type) {
  const Expr expr = region_.exprs[id];
  if (expr.type == type || !IsFloating(type)) return id;
  if (std::holds_alternative<Integer>(expr.node)) return id;
  return Add({Cast{id}, type, expr.span});
}

std::optional<ExprId> ExprReader::ReadCall(CXCursor cursor, Span span) {
  if (const auto complex = ReadComplexCall(cursor, span)) return *complex;
  if (const auto size = ReadSize(cursor, span)) return *size;
  const CXCursor callee = clang_getCursorReferenced(cursor);
  const std::string name = TakeString(clang_getCursorSpelling(cursor));
  if (const auto definition = FunctionDefinition(cursor)) {
    return ReadFunction(cursor, *definition, span);
  }
  const auto function = MathFunction(name);
  const int count = clang_Cursor_getNumArguments(cursor);
  if (const auto object = ObjectOf(cursor, name)) {
    sink_.Report(span, kClass, TypeText(*object))
        .Hint(
            "regions compute with numbers, those of std::complex too, and with elements of "
            "std::vector, array, span and unique_ptr: name others by a pointer");
    return std::nullopt;
  }
  const bool complex = IsComplexCall(cursor);
  if (!function || complex || clang_Cursor_isNull(callee) != 0 || Info(*function).arity != count) {
    sink_.Report(span, kCall, name.empty() ? "a function" : name)
        .Hint(complex
                  ? "of complex numbers real, imag, conj, abs, norm, arg and exp are known"
                  : "define it in this file or a header, or write what it computes in its place; "
                    "functions of <math.h> are known");
    return std::nullopt;
  }
  Call call{std::string(Info(*function).name), {}};
  for (int k = 0; k < count; ++k) {
    const auto argument = Read(clang_Cursor_getArgument(cursor, static_cast<unsigned>(k)));
    if (!argument) return std::nullopt;
    CXType wanted = clang_getArgType(clang_getCursorType(callee), static_cast<unsigned>(k));
    if (clang_getPointeeType(wanted).kind != CXType_Invalid) wanted = clang_getPointeeType(wanted);
    // `abs` of C takes an int.
    const bool to_int = TypeOf(wanted) == CType::Int && IsFloating(region_.exprs[*argument].type);
    const auto converted =
        to_int ? ConvertedTo(*argument, wanted, cursor) : Converted(*argument, TypeOf(wanted));
    if (!converted) return std::nullopt;
    call.arguments.push_back(*converted);
  }
  // Where one is not a number (NaN), the language takes the first, and C the other one.
  const bool extremum = *function == Function::Max || *function == Function::Min;
  if (extremum && name[0] == 'f' &&
      std::holds_alternative<Floating>(region_.exprs[call.arguments[1]].node)) {
    std::swap(call.arguments[0], call.arguments[1]);
  }
  return Add({std::move(call), TypeOf(clang_getCursorType(cursor)), span});
}

std::optional<ExprId> ExprReader::ReadCast(CXCursor cursor, Span span) {
  for (const CXCursor part : ChildrenOf(cursor)) {
    if (clang_isExpression(clang_getCursorKind(part)) == 0) continue;
    const auto operand = Read(part);
    if (!operand) return std::nullopt;
    const CXType type = clang_getCursorType(cursor);
    // A wider type holds what an unsigned number has become below zero.
    const bool keeps = region_.exprs[*operand].type == CType::Unsigned && IsInteger(TypeOf(type)) &&
                       clang_Type_getSizeOf(type) > clang_Type_getSizeOf(clang_getCursorType(part));
    return keeps ? operand : ConvertedTo(*operand, type, cursor);
  }
  return Refuse(cursor, span);
}

std::optional<ExprId> ExprReader::ConvertedTo(ExprId value, CXType wanted, CXCursor cursor) {
  const Span span = SpanOf(cursor);
  const CType type = TypeOf(wanted);
  const ElementFormat format = FormatOf(wanted);
  if (format != ElementFormat::Plain) return Narrowed(value, format, span);
  const Expr expr = region_.exprs[value];
  if (expr.type == type) return value;
  if (type == CType::Bool && (IsInteger(expr.type) || IsFloating(expr.type))) {
    const ExprId zero = Number(0, span);
    return Add({Binary{BinaryOp::NotEqual, value, zero}, CType::Bool, span});
  }
  if (IsInteger(expr.type) && IsInteger(type)) {
    Expr same = expr;  // sizes and places: regions' integers are small
    same.type = type;
    return Add(same);
  }
  if (type == CType::Other || type == CType::Pointer) return Refuse(cursor, span);
  return Add({Cast{value}, type, span});
}

Span ExprReader::SpanOf(CXCursor cursor) const {
  const Span otherwise = calls_.empty() ? whole_ : calls_.back().span;
  const bool as_value = !calls_.empty() && calls_.back().as_value;
  return as_value ? otherwise : PlaceOf(cursor).value_or(otherwise);
}

}  // namespace stencilgen::scop
