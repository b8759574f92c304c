#include "scop/changed_variables.h"

#include <algorithm>
#include <vector>

#include "scop/cursor.h"

namespace stencilgen::scop {
namespace {

/// `x` of `x.n[2]`, as far as that is a part of `x`.
CXCursor RootOf(CXCursor wrapped) {
  CXCursor cursor = Unwrap(wrapped);
  for (;;) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_MemberRefExpr && kind != CXCursor_ArraySubscriptExpr) return cursor;
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    if (parts.empty()) return cursor;
    const CXCursor base = Unwrap(parts[0]);
    if (TypeOf(clang_getCursorType(base)) == CType::Pointer) return clang_getNullCursor();
    cursor = base;
  }
}

/// True where an expression is the variable, or a part of it.
bool IsPartOf(CXCursor expression, CXCursor variable) {
  const CXCursor root = RootOf(expression);
  return clang_getCursorKind(root) == CXCursor_DeclRefExpr &&
         clang_equalCursors(clang_getCursorReferenced(root), variable) != 0;
}

/// What a statement or an expression changes by itself.
std::vector<CXCursor> ChangedBy(CXCursor cursor) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_CompoundAssignOperator:
      return {parts.at(0)};
    case CXCursor_BinaryOperator:
      if (clang_getCursorBinaryOperatorKind(cursor) != CXBinaryOperator_Assign) return {};
      return {parts.at(0)};
    case CXCursor_UnaryOperator:
      switch (clang_getCursorUnaryOperatorKind(cursor)) {
        case CXUnaryOperator_PostInc:
        case CXUnaryOperator_PostDec:
        case CXUnaryOperator_PreInc:
        case CXUnaryOperator_PreDec:
        case CXUnaryOperator_AddrOf:
          return {parts.at(0)};
        default:
          return {};
      }
    case CXCursor_CallExpr: {
      const std::string name = TakeString(clang_getCursorSpelling(cursor));
      const bool exchanges = name == "swap" || name == "exchange";
      const bool assigns = name.rfind("operator", 0) == 0 && name.back() == '=' &&
                           name != "operator==" && name != "operator!=";
      std::vector<CXCursor> changed;
      const int count = exchanges ? clang_Cursor_getNumArguments(cursor) : assigns ? 1 : 0;
      changed.reserve(static_cast<std::size_t>(count));
      for (int k = 0; k < count; ++k) {
        changed.push_back(clang_Cursor_getArgument(cursor, static_cast<unsigned>(k)));
      }
      return changed;
    }
    default:
      return {};
  }
}

/// A reference by which what it refers to may be changed.
bool IsOpenReference(CXType type) {
  return type.kind == CXType_LValueReference &&
         clang_isConstQualifiedType(clang_getPointeeType(type)) == 0;
}

/// The lambda whose member the cursor is.
CXCursor LambdaOf(CXCursor cursor, CXCursor call_operator) {
  for (const CXCursor child : ChildrenOf(cursor)) {
    if (clang_getCursorKind(child) == CXCursor_LambdaExpr) {
      const CXType type = clang_getCanonicalType(clang_getCursorType(child));
      const CXCursor own = clang_getTypeDeclaration(type);
      if (clang_equalCursors(own, clang_getCursorSemanticParent(call_operator)) != 0) return child;
    }
    const CXCursor inner = LambdaOf(child, call_operator);
    if (clang_Cursor_isNull(inner) == 0) return inner;
  }
  return clang_getNullCursor();
}

}  // namespace

bool IsChangedIn(CXCursor function, CXCursor variable) {
  return AnyBelow(function, [&](CXCursor cursor) {
    const std::vector<CXCursor> changed = ChangedBy(cursor);
    return std::any_of(changed.begin(), changed.end(),
                       [&](CXCursor target) { return IsPartOf(target, variable); });
  });
}

bool MayChangeIn(CXCursor function, CXCursor variable) {
  if (IsChangedIn(function, variable)) return true;
  return AnyBelow(function, [&](CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_VarDecl && IsOpenReference(clang_getCursorType(cursor))) {
      const CXCursor value = clang_Cursor_getVarDeclInitializer(cursor);
      if (clang_Cursor_isNull(value) == 0 && IsPartOf(value, variable)) return true;
    }
    const int count = kind == CXCursor_CallExpr ? clang_Cursor_getNumArguments(cursor) : 0;
    const CXType callee = clang_getCursorType(clang_getCursorReferenced(cursor));
    for (int k = 0; k < count; ++k) {
      const auto at = static_cast<unsigned>(k);
      if (!IsPartOf(clang_Cursor_getArgument(cursor, at), variable)) continue;
      const CXType type = clang_getArgType(callee, at);
      if (type.kind == CXType_Invalid || IsOpenReference(type)) return true;
    }
    return false;
  });
}

bool SetsMember(CXCursor function) {
  return AnyBelow(function, [](CXCursor cursor) {
    const std::vector<CXCursor> changed = ChangedBy(cursor);
    return std::any_of(changed.begin(), changed.end(), [](CXCursor target) {
      return clang_getCursorKind(Unwrap(target)) == CXCursor_MemberRefExpr;
    });
  });
}

std::optional<Captures> CapturesOf(CXCursor function, CXCursor call_operator) {
  const CXCursor lambda = LambdaOf(function, call_operator);
  if (clang_Cursor_isNull(lambda) != 0) return std::nullopt;
  const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(lambda);
  CXToken* tokens = nullptr;
  unsigned count = 0;
  clang_tokenize(unit, clang_getCursorExtent(lambda), &tokens, &count);
  std::vector<std::string> listed;
  for (unsigned k = 1; k < count; ++k) {
    listed.push_back(TakeString(clang_getTokenSpelling(unit, tokens[k])));
    if (listed.back() == "]") break;
  }
  clang_disposeTokens(unit, tokens, count);
  Captures captures;
  for (std::size_t k = 0; k < listed.size(); ++k) {
    const std::string& token = listed[k];
    if (token == "=" && k == 0) {
      captures.copies_others = true;
    } else if (token == "=" || token == "{" || token == "(" || token == "*" || token == ".") {
      return std::nullopt;
    } else if (token != "&" && token != "," && token != "]" && token != "this") {
      const bool reference = k > 0 && listed[k - 1] == "&";
      (reference ? captures.references : captures.copies).insert(token);
    }
  }
  return captures;
}

}  // namespace stencilgen::scop
