#include "scop/cursor.h"

#include <algorithm>

#include <fmt/format.h>

namespace stencilgen::scop {

std::string TakeString(CXString text) {
  const char* chars = clang_getCString(text);
  std::string result = chars == nullptr ? "" : chars;
  clang_disposeString(text);
  return result;
}

std::vector<CXCursor> ChildrenOf(CXCursor cursor) {
  std::vector<CXCursor> children;
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        static_cast<std::vector<CXCursor>*>(data)->push_back(child);
        return CXChildVisit_Continue;
      },
      &children);
  return children;
}

std::optional<CXCursor> MemberObject(CXCursor call) {
  const std::vector<CXCursor> parts = ChildrenOf(call);
  if (parts.empty() || clang_getCursorKind(parts[0]) != CXCursor_MemberRefExpr) return std::nullopt;
  const std::vector<CXCursor> object = ChildrenOf(parts[0]);
  return object.empty() ? std::nullopt : std::optional(object[0]);
}

bool AnyBelow(CXCursor cursor, const std::function<bool(CXCursor)>& holds) {
  const std::vector<CXCursor> children = ChildrenOf(cursor);
  return std::any_of(children.begin(), children.end(),
                     [&](CXCursor child) { return holds(child) || AnyBelow(child, holds); });
}

std::optional<Span> PlaceOf(CXCursor cursor) {
  const CXSourceRange range = clang_getCursorExtent(cursor);
  const CXSourceLocation begin = clang_getRangeStart(range);
  if (clang_Location_isFromMainFile(begin) == 0) {
    // A use of a macro whose text is in another file is still a place in this one.
    CXFile file = nullptr;
    clang_getExpansionLocation(begin, &file, nullptr, nullptr, nullptr);
    const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(cursor);
    const CXFile main =
        clang_getFile(unit, TakeString(clang_getTranslationUnitSpelling(unit)).c_str());
    if (file == nullptr || clang_File_isEqual(file, main) == 0) return std::nullopt;
  }
  Span span;
  clang_getExpansionLocation(begin, nullptr, nullptr, nullptr, &span.begin);
  clang_getExpansionLocation(clang_getRangeEnd(range), nullptr, nullptr, nullptr, &span.end);
  if (span.end <= span.begin) span.end = span.begin + 1;
  return span;
}

CXCursor Unwrap(CXCursor cursor) {
  for (;;) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr) return cursor;
    const std::vector<CXCursor> children = ChildrenOf(cursor);
    if (children.size() != 1) return cursor;
    cursor = children[0];
  }
}

namespace {

/// The name of a class of the namespace `std`, whatever inline namespaces there are in between;
/// empty of others.
std::string StandardName(CXType record) {
  const CXCursor declaration = clang_getTypeDeclaration(record);
  CXCursor scope = clang_getCursorSemanticParent(declaration);
  while (clang_Cursor_isInlineNamespace(scope) != 0) scope = clang_getCursorSemanticParent(scope);
  if (TakeString(clang_getCursorSpelling(scope)) != "std") return "";
  return TakeString(clang_getCursorSpelling(declaration));
}

CType ComplexTypeOf(CXType record) {
  if (StandardName(record) != "complex") return CType::Other;
  if (clang_Type_getNumTemplateArguments(record) != 1) return CType::Other;
  switch (TypeOf(clang_Type_getTemplateArgumentAsType(record, 0))) {
    case CType::Float:
      return CType::ComplexFloat;
    case CType::Double:
      return CType::ComplexDouble;
    default:
      return CType::Other;
  }
}

}  // namespace

CType TypeOf(CXType type) {
  const CXType canonical = clang_getCanonicalType(type);
  switch (canonical.kind) {
    case CXType_Bool:
      return CType::Bool;
    case CXType_Int:
      return CType::Int;
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_Long:
    case CXType_LongLong:
      return CType::Integer;
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
      return CType::Unsigned;
    case CXType_Enum:
      return CType::Int;
    case CXType_Float:
    case CXType_Float16:
    case CXType_BFloat16:
      return CType::Float;
    case CXType_Double:
      return CType::Double;
    case CXType_Pointer:
      return CType::Pointer;
    case CXType_Record:
      return ComplexTypeOf(canonical);
    default:
      return CType::Other;
  }
}

ElementFormat FormatOf(CXType type) {
  switch (clang_getCanonicalType(type).kind) {
    case CXType_Char_S:
    case CXType_SChar:
      return ElementFormat::Int8;
    case CXType_Char_U:
    case CXType_UChar:
      return ElementFormat::UInt8;
    case CXType_Short:
      return ElementFormat::Int16;
    case CXType_UShort:
      return ElementFormat::UInt16;
    case CXType_Float16:
      return ElementFormat::Half;
    case CXType_BFloat16:
      return ElementFormat::BFloat16;
    default:
      return ElementFormat::Plain;
  }
}

std::string TypeText(CXType type) {
  return TakeString(clang_getTypeSpelling(type));
}

std::optional<std::optional<BinaryOp>> UpdateOf(CXCursor assignment) {
  switch (clang_getCursorBinaryOperatorKind(assignment)) {
    case CXBinaryOperator_Assign:
      return std::optional<BinaryOp>();
    case CXBinaryOperator_AddAssign:
      return BinaryOp::Add;
    case CXBinaryOperator_SubAssign:
      return BinaryOp::Sub;
    case CXBinaryOperator_MulAssign:
      return BinaryOp::Mul;
    case CXBinaryOperator_DivAssign:
      return BinaryOp::Div;
    case CXBinaryOperator_RemAssign:
      return BinaryOp::Mod;
    case CXBinaryOperator_AndAssign:
      return BinaryOp::BitAnd;
    case CXBinaryOperator_OrAssign:
      return BinaryOp::BitOr;
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> IntegerValue(CXCursor cursor) {
  CXEvalResult result = clang_Cursor_Evaluate(cursor);
  if (result == nullptr) return std::nullopt;
  std::optional<std::int64_t> value;
  if (clang_EvalResult_getKind(result) == CXEval_Int)
    value = clang_EvalResult_getAsLongLong(result);
  clang_EvalResult_dispose(result);
  return value;
}

std::optional<double> FloatingValue(CXCursor cursor) {
  CXEvalResult result = clang_Cursor_Evaluate(cursor);
  if (result == nullptr) return std::nullopt;
  std::optional<double> value;
  if (clang_EvalResult_getKind(result) == CXEval_Float)
    value = clang_EvalResult_getAsDouble(result);
  clang_EvalResult_dispose(result);
  return value;
}

std::string DeclarationKey(CXCursor declaration) {
  // Two that one use of a macro declares, or instances of a template, have the same place.
  const CXCursor canonical = clang_getCanonicalCursor(declaration);
  return fmt::format("{}@{}", TakeString(clang_getCursorSpelling(declaration)), canonical.data[0]);
}

std::optional<Container> ContainerOf(CXType type) {
  const CXType canonical = clang_getCanonicalType(type);
  if (canonical.kind != CXType_Record || clang_Type_getNumTemplateArguments(canonical) < 1) {
    return std::nullopt;
  }
  const std::string name = StandardName(canonical);
  const bool pointer = name == "unique_ptr";
  if (name != "vector" && name != "array" && name != "span" && !pointer) return std::nullopt;
  CXType element = clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(canonical, 0));
  const bool several = element.kind == CXType_IncompleteArray;
  if (pointer != several) return std::nullopt;
  if (several) element = clang_getCanonicalType(clang_getArrayElementType(element));
  if (name == "vector" && element.kind == CXType_Bool) return std::nullopt;  // its bits are packed
  const bool owns = name == "vector" || name == "array";
  Container container{element, pointer ? ".get()" : ".data()", false};
  container.is_constant = clang_isConstQualifiedType(element) != 0 ||
                          (owns && clang_isConstQualifiedType(canonical) != 0);
  return container;
}

bool IsReference(CXType type) {
  return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

}  // namespace stencilgen::scop
