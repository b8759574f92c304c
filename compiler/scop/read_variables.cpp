// How the region's variables are found: ExprReader's part for declarations.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "scop/cursor.h"
#include "scop/read_expr.h"
#include "scop/read_list.h"
#include "scop/value_range.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string, std::string> kElementType{
    "c-type", Severity::Error, "`{}` has the type `{}`, which stencil programs have not"};
constexpr DiagnosticKind<std::string> kTemplateType{
    "c-type", Severity::Error,
    "the type of `{}` is a template's argument, which is not known where the region stands"};
constexpr DiagnosticKind<std::string> kPointersToPointers{
    "c-rows", Severity::Error, "`{}` is an array of pointers: its rows may lie anywhere"};
constexpr DiagnosticKind<std::string> kVolatile{"c-volatile", Severity::Error,
                                                "`{}` is volatile: each access to it counts"};

/// Words of the language that no name may be.
constexpr std::array kKeywords = std::to_array<std::string_view>(
    {"parameter", "iterator", "double", "float", "int", "bool", "copyin", "copyout", "allocin",
     "constant", "coefficient", "stencil", "function", "shmem", "gmem", "iterate"});

std::string Identifier(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || c == '_') {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '_') {
      name.push_back('_');
    }
  }
  const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
  if (name.empty() || keyword || (name[0] >= '0' && name[0] <= '9')) name.append("_");
  return name;
}

/// The expressions under a declaration that are extents of its type, outermost first: clang shows
/// the innermost one first.
std::vector<CXCursor> ExtentCursors(CXCursor declaration) {
  std::vector<CXCursor> extents;
  for (const CXCursor child : ChildrenOf(declaration)) {
    if (clang_isExpression(clang_getCursorKind(child)) == 0) continue;
    const CXCursorKind kind = clang_getCursorKind(child);
    if (kind == CXCursor_InitListExpr || kind == CXCursor_CallExpr) continue;
    if (!IsInteger(TypeOf(clang_getCursorType(child)))) continue;
    extents.insert(extents.begin(), child);
  }
  return extents;
}

using ListedValues = std::vector<std::variant<std::int64_t, double>>;

/// The elements that a constant array is declared with; empty where they are not known or many.
ListedValues ValuesOf(CXCursor declaration, CXType type) {
  constexpr std::size_t kMost = 1024;
  const ArrayShape shape = ShapeOf(type);
  const CType element = TypeOf(shape.element);
  const bool narrow = FormatOf(shape.element) >= ElementFormat::Half;
  const bool known = IsInteger(element) || (IsFloating(element) && !narrow);
  if (!known || !shape.is_constant) return {};
  const auto list = ListOf(declaration);
  const auto listed = list ? ListedElements(*list, shape.extents, kMost) : std::nullopt;
  if (!listed) return {};
  ListedValues values;
  values.reserve(listed->size());
  for (const ListedElement& each : *listed) {
    const auto integer = each.value ? IntegerValue(*each.value) : 0;
    const auto number = integer ? std::nullopt : FloatingValue(*each.value);
    if (!integer && (!number || IsInteger(element))) return {};
    if (IsInteger(element)) {
      values.emplace_back(*integer);
      continue;
    }
    const double value = number ? *number : static_cast<double>(*integer);
    const bool rounded = element == CType::Float;
    values.emplace_back(rounded ? static_cast<double>(static_cast<float>(value)) : value);
  }
  return values;
}

bool IsRecord(CXType type) {
  return clang_getCanonicalType(type).kind == CXType_Record;
}

}  // namespace

std::string ExprReader::NewName(const std::string& text) {
  const std::string base = Identifier(text);
  std::string name = base;
  for (int k = 2; !names_.insert(name).second; ++k) name = fmt::format("{}_{}", base, k);
  return name;
}

std::optional<VariableId> ExprReader::Declared(CXCursor declaration, Span use) {
  return KnownVariable(KeyOf(declaration), TextOf(declaration), clang_getCursorType(declaration),
                       declaration, use);
}

bool ExprReader::Is(CXCursor wrapped, VariableId variable) const {
  const CXCursor cursor = Unwrap(wrapped);
  if (clang_getCursorKind(cursor) != CXCursor_DeclRefExpr) return false;
  const auto found = known_.find(KeyOf(clang_getCursorReferenced(cursor)));
  return found != known_.end() && found->second == variable;
}

bool ExprReader::Declares(CXCursor declaration, VariableId variable) const {
  const CXCursorKind kind = clang_getCursorKind(declaration);
  if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) return false;
  const auto found = known_.find(KeyOf(declaration));
  return found != known_.end() && found->second == variable;
}

std::optional<VariableId> ExprReader::KnownVariable(const std::string& key, const std::string& text,
                                                    CXType type, CXCursor declaration, Span use) {
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  known_[key] = std::nullopt;
  Variable variable;
  variable.text = text;
  variable.used = use;
  const auto declared = PlaceOf(declaration);
  const bool inside = declared && declared->begin >= whole_.begin && declared->end <= whole_.end;
  variable.is_local = inside || IsOfFunction(declaration);
  if (clang_isVolatileQualifiedType(type) != 0) {
    sink_.Report(use, kVolatile, text);
    return std::nullopt;
  }
  const bool reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
  const bool lasting = reference || clang_getCursorKind(declaration) == CXCursor_FieldDecl ||
                       clang_getCursorLinkage(declaration) != CXLinkage_NoLinkage ||
                       clang_Cursor_getStorageClass(declaration) == CX_SC_Static;
  if (reference) type = clang_getPointeeType(type);
  if (!ReadExtents(variable, type, declaration, use)) return std::nullopt;
  if (clang_getCursorKind(declaration) == CXCursor_VarDecl) {
    variable.values = ValuesOf(declaration, type);
  }
  if (clang_getCursorKind(declaration) == CXCursor_VarDecl && variable.extents.empty() &&
      IsInteger(variable.type)) {
    const CXCursor initializer = clang_Cursor_getVarDeclInitializer(declaration);
    if (clang_Cursor_isNull(initializer) == 0) variable.first_value = IntegerValue(initializer);
    const bool narrow = variable.holds != ElementFormat::Plain;
    if (narrow && variable.first_value) {
      const ValueRange value{*variable.first_value, *variable.first_value};
      if (!value.IsWithin(HeldBy(variable.holds))) variable.first_value.reset();
    }
  }
  variable.name = NewName(text);
  const VariableId id = region_.variables.Add(variable);
  known_[key] = id;
  if (lasting) lasting_.insert(id);
  return id;
}

bool ExprReader::ReadExtents(Variable& variable, CXType type, CXCursor declaration, Span use) {
  CXType at = clang_getCanonicalType(type);
  const std::vector<CXCursor> sizes = ExtentCursors(declaration);
  const auto container = ContainerOf(at);
  if (container) {
    const CXTypeKind declared = clang_getCursorType(declaration).kind;
    variable.is_pointer = true;
    variable.no_alias = declared != CXType_LValueReference;
    variable.data = container->data;
    variable.extents.emplace_back();
    at = container->element;
  } else if (at.kind == CXType_Pointer) {
    variable.is_pointer = true;
    variable.no_alias = clang_isRestrictQualifiedType(at) != 0;
    variable.extents.emplace_back();
    at = clang_getCanonicalType(clang_getPointeeType(at));
  } else {
    variable.no_alias = true;
  }
  const bool parameter = clang_getCursorKind(declaration) == CXCursor_ParmDecl;
  std::vector<std::int64_t> fixed;
  while (at.kind == CXType_ConstantArray || at.kind == CXType_VariableArray ||
         at.kind == CXType_IncompleteArray) {
    fixed.push_back(at.kind == CXType_ConstantArray ? clang_getArraySize(at) : -1);
    if (parameter && variable.extents.empty()) {
      variable.is_pointer = true;  // what `double u[n]` of a function is
      variable.no_alias = false;
    }
    if (at.kind == CXType_IncompleteArray) fixed.back() = -2;
    at = clang_getCanonicalType(clang_getArrayElementType(at));
    variable.extents.emplace_back();
  }
  const std::size_t before = variable.extents.size() - fixed.size();
  const auto variables = static_cast<std::size_t>(std::count(fixed.begin(), fixed.end(), -1));
  std::size_t next = 0;
  for (std::size_t d = 0; d < fixed.size(); ++d) {
    auto& extent = variable.extents[before + d];
    if (fixed[d] >= 0) {
      extent = Number(fixed[d], use);
    } else if (fixed[d] == -1) {
      const std::size_t k = sizes.size() == variables ? next++ : d;
      if (k < sizes.size()) extent = Read(sizes[k]);
      if (!extent) return false;
    }
  }
  variable.is_constant = container ? container->is_constant : clang_isConstQualifiedType(at) != 0;
  variable.type = TypeOf(at);
  const bool rows = variable.type == CType::Pointer || ContainerOf(at);
  if (rows && !variable.extents.empty()) {
    sink_.Report(use, kPointersToPointers, variable.text)
        .Hint("allocate one array and index it as `u[i*n + j]`, or as `double (*u)[n]`");
    return false;
  }
  const bool array = !variable.extents.empty();
  (array ? variable.format : variable.holds) = FormatOf(at);
  if (FormatOf(at) != ElementFormat::Plain) variable.type = TypeReadFrom(FormatOf(at));
  if (!array && !variable.is_local && FormatOf(at) >= ElementFormat::Half) {
    sink_.Report(use, kElementType, variable.text, TypeText(at))
        .Hint("arrays may be of it, and scalars that the region declares: use a `float`");
    return false;
  }
  if (variable.type == CType::Other || variable.type == CType::Pointer ||
      (IsRecord(at) && !IsComplex(variable.type)) ||
      (array && (variable.type == CType::Integer || variable.type == CType::Unsigned))) {
    if (TypeText(at).find("type-parameter-") != std::string::npos) {
      sink_.Report(use, kTemplateType, variable.text)
          .Hint("put the region into functions of known types, which the template calls");
      return false;
    }
    sink_.Report(use, kElementType, variable.text, TypeText(at))
        .Hint(
            "arrays of bool, char, short, int, _Float16, float, double and std::complex are known, "
            "and scalars of C's other integers");
    return false;
  }
  return true;
}

}  // namespace stencilgen::scop
