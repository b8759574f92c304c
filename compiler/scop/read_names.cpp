// Which variable a name, or a member of an object, is: ExprReader's part for names.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scop/changed_variables.h"
#include "scop/changes.h"
#include "scop/cursor.h"
#include "scop/read_expr.h"

namespace stencilgen::scop {
namespace {

constexpr const char* kPrivateHint =
    "make it a public member of the object's own class, or name its elements by a pointer";
constexpr DiagnosticKind<std::string> kNotAVariable{"c-name", Severity::Error,
                                                    "`{}` is no variable"};
constexpr DiagnosticKind<std::string> kReference{
    "c-reference", Severity::Error, "`{}` refers to no element or scalar of its own type"};
constexpr DiagnosticKind<std::string> kMovingReference{
    "c-reference", Severity::Error, "this refers to an element by way of `{}`, which changes"};
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

/// True where the cursor, or what is in it, declares something else of that name.
bool DeclaresOther(CXCursor cursor, CXCursor declaration, Span region, const std::string& name) {
  const std::vector<CXCursor> children = ChildrenOf(cursor);
  return std::any_of(children.begin(), children.end(), [&](CXCursor child) {
    const CXCursorKind kind = clang_getCursorKind(child);
    const bool other = clang_isDeclaration(kind) != 0 &&
                       clang_equalCursors(child, declaration) == 0 &&
                       TakeString(clang_getCursorSpelling(child)) == name;
    // A lambda's parameters are seen nowhere else.
    const auto place = PlaceOf(child);
    const bool around = !place || (place->begin <= region.begin && place->end >= region.end);
    if (kind == CXCursor_LambdaExpr && !around) return false;
    return other || DeclaresOther(child, declaration, region, name);
  });
}

bool IsPublic(CXCursor member) {
  const CX_CXXAccessSpecifier access = clang_getCXXAccessSpecifier(member);
  return access != CX_CXXPrivate && access != CX_CXXProtected;
}

/// True where a copy of the variable, made anywhere in the function, is the same in the region.
bool KeepsValue(CXCursor function, CXCursor variable) {
  CXType type = clang_getCanonicalType(clang_getCursorType(variable));
  if (IsReference(type)) {
    type = clang_getPointeeType(type);  // may be changed by another name
  } else if (clang_isConstQualifiedType(type) != 0) {
    return true;
  }
  const bool holds_elements = type.kind == CXType_Record || type.kind == CXType_ConstantArray ||
                              type.kind == CXType_VariableArray;
  return !holds_elements && !MayChangeIn(function, variable);
}

/// `::space::Class::name` of what is declared outside of functions, in C++.
std::string QualifiedName(CXCursor declaration) {
  std::string name = TakeString(clang_getCursorSpelling(declaration));
  CXCursor scope = clang_getCursorSemanticParent(declaration);
  for (; clang_isTranslationUnit(clang_getCursorKind(scope)) == 0;
       scope = clang_getCursorSemanticParent(scope)) {
    if (clang_isInvalid(clang_getCursorKind(scope)) != 0) break;
    if (clang_getCursorKind(scope) == CXCursor_LinkageSpec) continue;
    if (clang_Cursor_isAnonymous(scope) != 0) continue;
    name.insert(0, TakeString(clang_getCursorDisplayName(scope)).append("::"));
  }
  return "::" + name;
}

/// The class of an object, or of what a pointer points to.
CXCursor RecordOf(CXCursor object) {
  const CXType type = clang_getCanonicalType(clang_getCursorType(object));
  const CXType pointee = clang_getPointeeType(type);
  return clang_getTypeDeclaration(pointee.kind == CXType_Invalid ? type : pointee);
}

/// True where the member's name in an object of the class, or in one that it inherits from, is that
/// member. `within`: for functions of the class, which see what it inherits from in private.
bool Means(CXCursor record, CXCursor member, bool within) {
  if (clang_equalCursors(clang_getCursorSemanticParent(member), record) != 0) return true;
  const std::string name = TakeString(clang_getCursorSpelling(member));
  std::vector<CXCursor> bases;
  for (const CXCursor child : ChildrenOf(record)) {
    const bool base = clang_getCursorKind(child) == CXCursor_CXXBaseSpecifier;
    if (!base && TakeString(clang_getCursorSpelling(child)) == name) return false;
    if (base && (within || IsPublic(child))) {
      bases.push_back(clang_getTypeDeclaration(clang_getCursorType(child)));
    }
  }
  return std::any_of(bases.begin(), bases.end(),
                     [&](CXCursor base) { return Means(base, member, false); });
}

bool IsC(CXCursor cursor) {
  const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(cursor);
  const std::string file = TakeString(clang_getTranslationUnitSpelling(unit));
  return file.size() > 2 && file.compare(file.size() - 2, 2, ".c") == 0;
}

bool IsOutsideFunctions(CXCursor declaration) {
  const CXCursorKind kind = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
  return clang_getCursorKind(declaration) == CXCursor_VarDecl &&
         (clang_isTranslationUnit(kind) != 0 || kind == CXCursor_Namespace ||
          kind == CXCursor_LinkageSpec || kind == CXCursor_StructDecl ||
          kind == CXCursor_ClassDecl);
}

}  // namespace

std::string ExprReader::KeyOf(CXCursor declaration) const {
  std::string key = DeclarationKey(declaration);
  const CXCursor parent = clang_getCursorSemanticParent(declaration);
  int number = 0;  // of the innermost call
  for (const Frame& frame : calls_) {
    if (clang_equalCursors(parent, frame.definition) != 0) number = frame.number;
  }
  if (number > 0) key.append(fmt::format("#{}", number));
  return key;
}

bool ExprReader::IsHidden(CXCursor declaration) const {
  const auto place = PlaceOf(declaration);
  if (place && place->begin > whole_.begin) return true;
  // With all names of namespaces and classes before it nothing hides it in C++.
  if (IsOutsideFunctions(declaration) && !IsC(function_)) return false;
  return DeclaresOther(function_, declaration, whole_,
                       TakeString(clang_getCursorSpelling(declaration)));
}

std::optional<CXCursor> ExprReader::Referred(CXCursor declaration) const {
  const bool reference = clang_getCursorKind(declaration) == CXCursor_VarDecl &&
                         IsReference(clang_getCursorType(declaration));
  if (!reference) return std::nullopt;
  const CXCursor value = Unwrap(clang_Cursor_getVarDeclInitializer(declaration));
  if (clang_getCursorKind(value) != CXCursor_DeclRefExpr) return std::nullopt;
  const CXCursor other = clang_getCursorReferenced(value);
  const CXCursorKind kind = clang_getCursorKind(other);
  const bool seen = (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) && !IsHidden(other);
  return seen ? std::optional(value) : std::nullopt;
}

std::string ExprReader::TextOf(CXCursor declaration) const {
  std::string name = TakeString(clang_getCursorSpelling(declaration));
  if (!IsOutsideFunctions(declaration) || IsC(declaration)) return name;
  std::string qualified = QualifiedName(declaration);
  // As the region writes it, where that is enough.
  return calls_.empty() && qualified == "::" + name ? name : qualified;
}

bool ExprReader::MayName(CXCursor member) const {
  return IsPublic(member) || clang_equalCursors(clang_getCursorSemanticParent(member),
                                                clang_getCursorSemanticParent(function_)) != 0;
}

bool ExprReader::CheckSeen(CXCursor declaration, Span span) {
  if (calls_.empty()) return true;
  const bool own = BoundTo(declaration) != nullptr;
  const bool copied =
      !own && !IsOutsideFunctions(declaration) &&
      calls_.back().captures.Copies(TakeString(clang_getCursorSpelling(declaration)));
  if (copied && !IsOfFunction(declaration) && !KeepsValue(function_, declaration)) {
    sink_.Report(span, kCopied, TakeString(clang_getCursorSpelling(declaration)))
        .Hint("let the lambda name it by reference: `[&]`");
    return false;
  }
  if (!own && IsOutsideFunctions(declaration) && !MayName(declaration)) {
    sink_.Report(span, kPrivate, TextOf(declaration)).Hint(kPrivateHint);
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
      if (const auto other = Referred(declaration)) return PathTo(*other, asked);
      if (!CheckSeen(declaration, span)) return std::nullopt;
      const bool refers = arrow || IsReference(clang_getCursorType(declaration));
      return Path{name + access, KeyOf(declaration), RecordOf(cursor), refers};
    }
    case CXCursor_MemberRefExpr: {
      const auto path = PathOfMember(cursor);
      if (!path) return std::nullopt;
      return Path{path->text + access, path->key, RecordOf(cursor), path->by_reference || arrow};
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
  const CXCursor record = clang_getCursorSemanticParent(function_);
  return {written || !calls_.empty() ? "this->" : "", "this", record, true};
}

std::optional<ExprReader::Path> ExprReader::PathOfMember(CXCursor cursor) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  // A member of `this` may stand alone.
  const auto object = parts.empty() ? std::optional(OwnObject(false)) : PathTo(parts[0], cursor);
  if (!object) return std::nullopt;
  const CXCursor member = clang_getCursorReferenced(cursor);
  Path path = *object;
  path.text += TakeString(clang_getCursorSpelling(cursor));
  path.key += "." + DeclarationKey(member);
  // A function of a base class may mean another member than the name does here.
  const bool within =
      clang_equalCursors(path.record, clang_getCursorSemanticParent(function_)) != 0;
  const bool known = clang_Cursor_isNull(path.record) == 0;
  const bool means = !known || Means(path.record, member, within);
  if (!calls_.empty() && (!means || !MayName(member))) {
    sink_.Report(SpanOf(cursor), kPrivate, path.text).Hint(kPrivateHint);
    return std::nullopt;
  }
  return path;
}

void ExprReader::ReadReferenceTo(CXCursor declaration, CXCursor value, Span span) {
  const auto expr = Read(value);
  if (!expr) return;
  const CXType type = clang_getPointeeType(clang_getCursorType(declaration));
  const auto& node = region_.exprs[*expr].node;
  const auto* element = std::get_if<Element>(&node);
  const bool place = element != nullptr || std::holds_alternative<Use>(node);
  if (!place || region_.exprs[*expr].type != TypeOf(type)) {
    sink_.Report(span, kReference, TakeString(clang_getCursorSpelling(declaration)))
        .Hint("declare a variable of its own");
    return;
  }
  Refer(declaration, *expr, span);
}

void ExprReader::Refer(CXCursor declaration, ExprId place, Span span) {
  references_[KeyOf(declaration)] = place;
  const auto* element = std::get_if<Element>(&region_.exprs[place].node);
  if (element == nullptr) return;
  NamePlace(element->variable, element->subscripts, span);
}

void ExprReader::NamePlace(VariableId array, const std::vector<ExprId>& subscripts, Span span) {
  in_sight_.emplace_back(array, span);
  for (const ExprId subscript : subscripts) {
    ForEachExpr(region_, subscript, [&](ExprId id) {
      const auto* use = std::get_if<Use>(&region_.exprs[id].node);
      if (use != nullptr) places_of_references_.emplace(use->variable, span);
    });
  }
}

void ExprReader::Exchange(VariableId array) {
  for (const auto& [named, span] : in_sight_) {
    if (named == array) sink_.Report(span, kMovingReference, region_.variables[array].text);
  }
}

void ExprReader::CheckReferences(const std::set<VariableId>& assigned) {
  for (const auto& [variable, span] : places_of_references_) {
    if (assigned.count(variable) > 0) {
      sink_.Report(span, kMovingReference, region_.variables[variable].text);
    }
  }
}

ExprReader::Place ExprReader::PlaceIn(ExprId expr) const {
  const auto& node = region_.exprs[expr].node;
  const auto* element = std::get_if<Element>(&node);
  if (element == nullptr) return {std::get<Use>(node).variable, {}};
  return {element->variable, element->subscripts};
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
    if (const auto other = Referred(declaration)) return Named(*other);
    if (!CheckSeen(declaration, span)) return std::nullopt;
    if (declared == CXCursor_VarDecl || declared == CXCursor_ParmDecl) {
      return Declared(declaration, span);
    }
  } else if (kind == CXCursor_MemberRefExpr) {
    const auto path = PathOfMember(cursor);
    if (!path) return std::nullopt;
    const auto variable =
        KnownVariable(path->key, path->text, clang_getCursorType(declaration), declaration, span);
    if (variable && path->by_reference) {
      region_.variables[*variable].member = DeclarationKey(declaration);
    }
    return variable;
  } else if (const auto array = NamedByFirst(cursor)) {
    return *array;
  }
  const std::string text = TakeString(clang_getCursorSpelling(cursor));
  sink_.Report(span, kNotAVariable, text.empty() ? "this" : text)
      .Hint("arrays and scalars are named here, without operators and calls");
  return std::nullopt;
}

}  // namespace stencilgen::scop
