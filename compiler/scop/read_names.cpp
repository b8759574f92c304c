// Which variable a name, or a member of an object, is: ExprReader's part for names.
#include <algorithm>
#include <utility>

#include "scop/changed_variables.h"
#include "scop/cursor.h"
#include "scop/read_expr.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kNotAVariable{"c-name", Severity::Error,
                                                    "`{}` is no variable"};
constexpr DiagnosticKind<std::string> kHidden{"c-function", Severity::Error,
                                              "a function that is called here uses `{}`, by which "
                                              "the region means another variable, or none"};
constexpr DiagnosticKind<std::string> kOwn{
    "c-function", Severity::Error,
    "a function that is called here uses its `{}` as more than a value"};
constexpr DiagnosticKind<std::string> kCopied{
    "c-function", Severity::Error,
    "a lambda that is called here keeps a copy of `{}`, which changes in this function"};
constexpr DiagnosticKind<std::string> kPrivate{
    "c-function", Severity::Error,
    "a function that is called here uses `{}`, which the region's function may not name"};

/// True where the cursor, or what is in it, declares another variable of that name.
bool DeclaresOther(CXCursor cursor, CXCursor declaration, const std::string& name) {
  const std::vector<CXCursor> children = ChildrenOf(cursor);
  return std::any_of(children.begin(), children.end(), [&](CXCursor child) {
    const CXCursorKind kind = clang_getCursorKind(child);
    const bool other = (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) &&
                       clang_equalCursors(child, declaration) == 0 &&
                       TakeString(clang_getCursorSpelling(child)) == name;
    // A lambda's parameters are seen nowhere else.
    if (kind == CXCursor_LambdaExpr) return false;
    return other || DeclaresOther(child, declaration, name);
  });
}

bool IsPublic(CXCursor member) {
  const CX_CXXAccessSpecifier access = clang_getCXXAccessSpecifier(member);
  return access != CX_CXXPrivate && access != CX_CXXProtected;
}

}  // namespace

bool ExprReader::IsHidden(CXCursor declaration) const {
  const auto place = PlaceOf(declaration);
  return (place && place->begin > whole_.begin) ||
         DeclaresOther(function_, declaration, TakeString(clang_getCursorSpelling(declaration)));
}

bool ExprReader::CheckSeen(CXCursor declaration, Span span) {
  if (calls_.empty()) return true;
  const bool own = BoundTo(declaration) != nullptr;
  if (!own && calls_.back().keeps_copies && IsChangedIn(function_, declaration)) {
    sink_.Report(span, kCopied, TakeString(clang_getCursorSpelling(declaration)))
        .Hint("let the lambda name it by reference: `[&]`");
    return false;
  }
  if (!own && (IsOfFunction(declaration) || !IsHidden(declaration))) return true;
  sink_.Report(span, own ? kOwn : kHidden, TakeString(clang_getCursorSpelling(declaration)));
  return false;
}

std::optional<ExprReader::Path> ExprReader::PathTo(CXCursor wrapped, CXCursor asked) {
  const CXCursor cursor = Unwrap(wrapped);
  const Span span = SpanOf(cursor);
  const std::string name = TakeString(clang_getCursorSpelling(cursor));
  const bool arrow = TypeOf(clang_getCursorType(cursor)) == CType::Pointer;
  const char* access = arrow ? "->" : ".";
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_DeclRefExpr: {
      const CXCursor declaration = clang_getCursorReferenced(cursor);
      const Bound* bound = BoundTo(declaration);
      if (bound != nullptr && bound->object) return bound->object;
      if (!CheckSeen(declaration, span)) return std::nullopt;
      return Path{name + access, DeclarationKey(declaration)};
    }
    case CXCursor_MemberRefExpr: {
      const auto path = PathOfMember(cursor);
      if (!path) return std::nullopt;
      return Path{path->text + access, path->key};
    }
    case CXCursor_CXXThisExpr:
      return OwnObject(true);
    case CXCursor_UnaryOperator: {
      const CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
      if (kind != CXUnaryOperator_Deref && kind != CXUnaryOperator_AddrOf) break;
      return PathTo(ChildrenOf(cursor)[0], asked);
    }
    case CXCursor_CallExpr:  // the copy that an argument is
      if (clang_getCursorKind(clang_getCursorReferenced(cursor)) != CXCursor_Constructor) break;
      if (clang_Cursor_getNumArguments(cursor) != 1) break;
      return PathTo(clang_Cursor_getArgument(cursor, 0), asked);
    default:
      break;
  }
  const std::string text = TakeString(clang_getCursorSpelling(asked));
  sink_.Report(SpanOf(asked), kNotAVariable, text.empty() ? "this" : text)
      .Hint(
          "members of single structures are variables here, not those of arrays of them: keep one "
          "array for each member");
  return std::nullopt;
}

ExprReader::Path ExprReader::OwnObject(bool written) const {
  if (!calls_.empty() && calls_.back().object) return *calls_.back().object;
  return {written ? "this->" : "", "this"};
}

std::optional<ExprReader::Path> ExprReader::PathOfMember(CXCursor cursor) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  // A member of `this` may stand alone.
  const auto object = parts.empty() ? std::optional(OwnObject(false)) : PathTo(parts[0], cursor);
  if (!object) return std::nullopt;
  const std::string name = TakeString(clang_getCursorSpelling(cursor));
  Path path{object->text + name, object->key + "." + name};
  const CXCursor member = clang_getCursorReferenced(cursor);
  const bool same_class = clang_equalCursors(clang_getCursorSemanticParent(member),
                                             clang_getCursorSemanticParent(function_)) != 0;
  if (!calls_.empty() && !same_class && !IsPublic(member)) {
    sink_.Report(SpanOf(cursor), kPrivate, path.text)
        .Hint("make it public, or name its elements by a pointer");
    return std::nullopt;
  }
  return path;
}

std::optional<VariableId> ExprReader::Named(CXCursor wrapped) {
  const CXCursor cursor = Unwrap(wrapped);
  const Span span = SpanOf(cursor);
  const CXCursor declaration = clang_getCursorReferenced(cursor);
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_DeclRefExpr) {
    const CXCursorKind declared = clang_getCursorKind(declaration);
    const Bound* bound = BoundTo(declaration);
    if (bound != nullptr && bound->array) return bound->array;
    if (!CheckSeen(declaration, span)) return std::nullopt;
    if (declared == CXCursor_VarDecl || declared == CXCursor_ParmDecl) {
      return Declared(declaration, span);
    }
  } else if (kind == CXCursor_MemberRefExpr) {
    const auto path = PathOfMember(cursor);
    if (!path) return std::nullopt;
    return KnownVariable(path->key, path->text, clang_getCursorType(declaration), declaration,
                         span);
  }
  sink_.Report(span, kNotAVariable, TakeString(clang_getCursorSpelling(cursor)));
  return std::nullopt;
}

}  // namespace stencilgen::scop
