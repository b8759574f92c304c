// Whole numbers: ExprReader's part for shifts, for flips of bits, for what narrow ones keep, and
// for comparisons of unsigned ones.
#include <algorithm>
#include <utility>

#include "scop/cursor.h"
#include "scop/read_expr.h"
#include "scop/value_range.h"

namespace stencilgen::scop {

std::optional<ExprId> ExprReader::ReadShift(CXCursor cursor, Span span) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  if (parts.size() != 2) return Refuse(cursor, span);
  const auto value = Read(parts[0]);
  const auto places = Read(parts[1]);
  if (!value || !places) return std::nullopt;
  const bool left = clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Shl;
  const bool whole = TypeOf(clang_getCursorType(cursor)) == CType::Int;
  const auto shifted = whole ? Shifted(*value, *places, left, span) : std::nullopt;
  return shifted ? shifted : Refuse(cursor, span);
}

std::optional<ExprId> ExprReader::Shifted(ExprId value, ExprId places, bool left, Span span) {
  const auto* number = std::get_if<Integer>(&region_.exprs[places].node);
  const CType type = CType::Int;
  if (number == nullptr || number->value < 0 || number->value > 30 ||
      region_.exprs[value].type != type) {
    return std::nullopt;
  }
  const std::int64_t factor = std::int64_t{1} << number->value;
  if (left) return Add({Binary{BinaryOp::Mul, value, Number(factor, span)}, type, span});
  ExprId whole = value;
  if (RangeOf(region_, whole).least < 0) {  // a quotient would be rounded up
    const ExprId rest =
        Add({Binary{BinaryOp::BitAnd, whole, Number(factor - 1, span)}, type, span});
    whole = Add({Binary{BinaryOp::Sub, whole, rest}, type, span});
  }
  return Add({Binary{BinaryOp::Div, whole, Number(factor, span)}, type, span});
}

ExprId ExprReader::Kept(VariableId scalar, ExprId target, std::optional<BinaryOp> update,
                        ExprId value, Span span) {
  const ElementFormat holds = region_.variables[scalar].holds;
  if (holds == ElementFormat::Plain) return value;
  if (update) {
    const CType type = std::max(region_.exprs[value].type, TypeReadFrom(holds));
    value = Add({Binary{*update, target, value}, IsFloating(type) ? type : CType::Int, span});
  }
  return Narrowed(value, holds, span);
}

ExprId ExprReader::Narrowed(ExprId value, ElementFormat format, Span span) {
  if (TypeReadFrom(format) == CType::Int) return Add({Cast{value, format}, CType::Int, span});
  const bool half = format == ElementFormat::Half;
  return Add({Call{half ? "round_half" : "round_bfloat16", {*Converted(value, CType::Float)}},
              CType::Float, span});
}

std::optional<ExprId> ExprReader::FlippedBit(ExprId value, ExprId bit, Span span) {
  const auto* number = std::get_if<Integer>(&region_.exprs[bit].node);
  const CType type = region_.exprs[value].type;
  if (number == nullptr || number->value != 1 || type != CType::Int) return std::nullopt;
  // value + (1 - 2*(value & 1)), which is right for negative numbers, too.
  const ExprId last = Add({Binary{BinaryOp::BitAnd, value, Number(1, span)}, type, span});
  const ExprId twice = Add({Binary{BinaryOp::Mul, Number(2, span), last}, type, span});
  const ExprId change = Add({Binary{BinaryOp::Sub, Number(1, span), twice}, type, span});
  return Add({Binary{BinaryOp::Add, value, change}, type, span});
}

std::optional<ExprId> ExprReader::ReadCompared(CXCursor part) {
  const auto value = Read(part);
  if (!value) return std::nullopt;
  Expr same = region_.exprs[*value];
  if (!IsInteger(same.type) || same.type == CType::Bool || same.type == CType::Unsigned ||
      TypeOf(clang_getCursorType(part)) != CType::Unsigned) {
    return value;
  }
  const auto* number = std::get_if<Integer>(&same.node);
  if (number != nullptr && number->value >= 0) return value;
  same.type = CType::Unsigned;
  return Add(same);
}

}  // namespace stencilgen::scop
