// Pointers into arrays: ExprReader's part for `a + k`, `&a[k]` and `u[j]`, which are given to
// parameters and to pointers that are declared.
#include <utility>
#include <vector>

#include "scop/changed_variables.h"
#include "scop/cursor.h"
#include "scop/read_expr.h"

namespace stencilgen::scop {
namespace {

/// The pointer and the number of `a + k`, `k + a` and `a - k`.
struct Moved {
  CXCursor pointer, distance;
  bool back = false;
};
std::optional<Moved> MovedPointer(CXCursor cursor) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  if (clang_getCursorKind(cursor) != CXCursor_BinaryOperator || parts.size() != 2) {
    return std::nullopt;
  }
  const CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
  const bool back = kind == CXBinaryOperator_Sub;
  if (!back && kind != CXBinaryOperator_Add) return std::nullopt;
  const bool number_first = IsInteger(TypeOf(clang_getCursorType(Unwrap(parts[0]))));
  if (number_first) return Moved{parts[1], parts[0], false};
  return Moved{parts[0], parts[1], back};
}

/// `a[k]` of `&a[k]`.
std::optional<CXCursor> ElementWithAddress(CXCursor cursor) {
  const bool address = clang_getCursorKind(cursor) == CXCursor_UnaryOperator &&
                       clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf;
  if (!address) return std::nullopt;
  const CXCursor element = Unwrap(ChildrenOf(cursor)[0]);
  const bool plain = clang_getCursorKind(element) == CXCursor_ArraySubscriptExpr;
  if (!plain && !SubscriptedContainer(element)) return std::nullopt;
  return element;
}

}  // namespace

bool ExprReader::PointsInto(CXCursor wrapped) const {
  const CXCursor cursor = Unwrap(wrapped);
  if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr) {
    return rows_.count(KeyOf(clang_getCursorReferenced(cursor))) > 0;
  }
  return MovedPointer(cursor) || ElementWithAddress(cursor) ||
         clang_getCursorKind(cursor) == CXCursor_ArraySubscriptExpr;
}

std::optional<ExprReader::Place> ExprReader::ReadRow(CXCursor wrapped) {
  const CXCursor cursor = Unwrap(wrapped);
  const Span span = SpanOf(cursor);
  if (const auto moved = MovedPointer(cursor)) {
    auto row = ReadRow(moved->pointer);
    auto distance = Read(moved->distance);
    if (!row || !distance) return std::nullopt;
    if (moved->back) distance = Add({Unary{UnaryOp::Negate, *distance}, CType::Int, span});
    row->ahead = Sum(row->ahead, *distance, span);
    return row;
  }
  if (const auto array = NamedByFirst(cursor)) {
    return *array ? std::optional(Place{**array, {}}) : std::nullopt;
  }
  const auto element = ElementWithAddress(cursor);
  if (!element) return ReadPlace(cursor);
  const auto container = SubscriptedContainer(*element);
  auto row = ReadRow(container ? *container : ChildrenOf(*element)[0]);
  const auto distance =
      Read(container ? clang_Cursor_getArgument(*element, 1) : ChildrenOf(*element)[1]);
  if (!row || !distance) return std::nullopt;
  row->ahead = Sum(row->ahead, *distance, span);
  return row;
}

bool ExprReader::ReadPointerInto(CXCursor declaration, Span span) {
  const CXCursor value = clang_Cursor_getVarDeclInitializer(declaration);
  const CXCursor function = clang_getCursorSemanticParent(declaration);
  if (TypeOf(clang_getCursorType(declaration)) != CType::Pointer ||
      clang_Cursor_isNull(value) != 0 || MayChangeIn(function, declaration)) {
    return false;
  }
  // In the region itself `p = u` may be the beginning of an exchange.
  const bool name = clang_getCursorKind(Unwrap(value)) == CXCursor_DeclRefExpr;
  if (!PointsInto(value) && !(name && IsInFunction())) return false;
  if (auto row = ReadRow(value)) PointTo(declaration, *std::move(row), span);
  return true;
}

void ExprReader::PointTo(CXCursor declaration, Place row, Span span) {
  if (calls_.empty() || !calls_.back().as_value) {  // a value is read at once
    std::vector<ExprId> named = row.subscripts;
    if (row.ahead) named.push_back(*row.ahead);
    NamePlace(row.variable, named, span);
  }
  rows_[KeyOf(declaration)] = std::move(row);
}

std::optional<ExprReader::Place> ExprReader::RowOf(CXCursor declaration) {
  const auto found = rows_.find(KeyOf(declaration));
  if (found == rows_.end()) return std::nullopt;
  Place place = found->second;
  for (ExprId& subscript : place.subscripts) subscript = Copied(subscript);
  if (place.ahead) place.ahead = Copied(*place.ahead);
  return place;
}

void ExprReader::AddSubscript(Place& place, ExprId subscript, Span span) {
  place.subscripts.push_back(Sum(place.ahead, subscript, span));
  place.ahead.reset();
}

ExprId ExprReader::Sum(std::optional<ExprId> first, ExprId second, Span span) {
  if (!first) return second;
  return Add({Binary{BinaryOp::Add, *first, second}, CType::Int, span});
}

}  // namespace stencilgen::scop
