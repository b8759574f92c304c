// Calls of functions that the file defines: ExprReader's part that puts their values in place.
#include <algorithm>
#include <utility>
#include <vector>

#include "scop/changed_variables.h"
#include "scop/changes.h"
#include "scop/cursor.h"
#include "scop/read_expr.h"

namespace stencilgen::scop {
namespace {

/// Of a region with all that its functions compute.
constexpr std::size_t kMostExpressions = 40000;
constexpr std::size_t kMostCallsInside = 16;

constexpr DiagnosticKind<std::string, std::string> kFunction{"c-function", Severity::Error,
                                                             "`{}` is called, and {}"};
constexpr const char* kKnownFunctions =
    "functions may declare scalars, assign to them, decide by `if`, and return a number";

std::vector<CXCursor> Joined(std::vector<CXCursor> first, const std::vector<CXCursor>& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

/// The object whose member is called: `u` of `u(i, j)` and of `u.at(i, j)`. Empty where there is
/// none, or it is `this` and not written.
std::optional<CXCursor> ObjectOf(CXCursor call, CXCursor definition) {
  if (clang_getCursorKind(definition) != CXCursor_CXXMethod) return std::nullopt;
  const int count = clang_Cursor_getNumArguments(definition);
  if (clang_Cursor_getNumArguments(call) == count + 1) return clang_Cursor_getArgument(call, 0);
  const std::vector<CXCursor> parts = ChildrenOf(call);
  if (parts.empty() || clang_getCursorKind(parts[0]) != CXCursor_MemberRefExpr) return std::nullopt;
  const std::vector<CXCursor> object = ChildrenOf(parts[0]);
  return object.empty() ? std::nullopt : std::optional(object[0]);
}

/// No virtual one, and no operator that could change what an expression means.
bool IsPlainFunction(CXCursor callee) {
  const std::string name = TakeString(clang_getCursorSpelling(callee));
  const bool places = name == "operator()" || name == "operator[]";
  if (name.rfind("operator", 0) == 0 && !places) return false;
  const CXCursorKind kind = clang_getCursorKind(callee);
  return kind == CXCursor_FunctionDecl ||
         (kind == CXCursor_CXXMethod && clang_CXXMethod_isVirtual(callee) == 0);
}

CXType ValueType(CXType type) {
  return IsReference(type) ? clang_getPointeeType(type) : type;
}

/// A structure or a class, or a pointer to one, but for what regions compute with.
bool IsObjectType(CXType type) {
  const CXType pointee = clang_getPointeeType(type);
  const CXType object = pointee.kind == CXType_Invalid ? type : pointee;
  return clang_getCanonicalType(object).kind == CXType_Record && !IsComplex(TypeOf(object)) &&
         !ContainerOf(object);
}

bool IsArrayType(CXType type) {
  if (ContainerOf(type)) return true;
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return kind == CXType_Pointer || kind == CXType_ConstantArray || kind == CXType_VariableArray ||
         kind == CXType_IncompleteArray;
}

}  // namespace

std::optional<CXCursor> FunctionDefinition(CXCursor call) {
  const CXCursor callee = clang_getCursorReferenced(call);
  if (clang_Cursor_isNull(callee) != 0 || !IsPlainFunction(callee)) return std::nullopt;
  const CXCursor definition = clang_getCursorDefinition(callee);
  if (clang_Cursor_isNull(definition) != 0) return std::nullopt;
  const CXSourceLocation place = clang_getCursorLocation(definition);
  if (clang_Location_isInSystemHeader(place) != 0) return std::nullopt;
  return definition;
}

/// Reads a function's body as the value it returns: what its variables hold is known as expressions
/// of the region.
class ExprReader::FunctionReader {
 public:
  FunctionReader(ExprReader& reader, CXCursor call, CXCursor definition, Span span)
      : reader_(reader),
        call_(call),
        definition_(definition),
        span_(span),
        name_(TakeString(clang_getCursorSpelling(definition))),
        result_(clang_getCursorResultType(definition)) {}

  std::optional<ExprId> Value() {
    auto body = Enter(true);
    if (!body) return std::nullopt;
    auto value = Run(*std::move(body));
    reader_.calls_.pop_back();
    // Of those around only the outermost says so.
    if (reader_.too_long_ && value) value = Refuse("is too long, written out");
    return value;
  }

  /// After Enter: parameters that are variables of their own, and what they begin with.
  const std::vector<std::pair<CXCursor, ExprId>>& copies() const { return copies_; }

  /// Begins to read the function: its statements. Empty where that was refused.
  std::optional<std::vector<CXCursor>> Enter(bool as_value) {
    if (reader_.calls_.size() >= kMostCallsInside) {
      Refuse("calls itself, or too many others");
      return std::nullopt;
    }
    Frame frame;
    frame.definition = definition_;
    frame.span = reader_.calls_.empty() ? span_ : reader_.calls_.back().span;
    frame.as_value = as_value;
    frame.number = ++reader_.call_count_;
    if (!BindArguments(frame)) return std::nullopt;
    for (const CXCursor child : ChildrenOf(definition_)) {
      if (clang_getCursorKind(child) != CXCursor_CompoundStmt) continue;
      reader_.calls_.push_back(std::move(frame));
      return ChildrenOf(child);
    }
    Refuse("has no body that is known");
    return std::nullopt;
  }

 private:
  std::optional<ExprId> Refuse(const std::string& why) {
    reader_.sink_.Report(span_, kFunction, name_, why).Hint(kKnownFunctions);
    return std::nullopt;
  }
  Frame& frame() { return reader_.calls_.back(); }

  bool BindArguments(Frame& frame) {
    const int count = clang_Cursor_getNumArguments(definition_);
    const auto object = ObjectOf(call_, definition_);
    const bool is_operator = clang_Cursor_getNumArguments(call_) == count + 1 && object;
    if (clang_Cursor_getNumArguments(call_) != count && !is_operator) {
      Refuse("how many arguments it takes varies");
      return false;
    }
    if (!object && !reader_.calls_.empty()) frame.object = reader_.calls_.back().object;
    if (object && IsLambda()) {
      auto captures = CapturesOf(reader_.function_, definition_);
      if (!captures) {
        Refuse("is a lambda with variables of its own, or of another function");
        return false;
      }
      frame.captures = *std::move(captures);
    }
    if (object && !IsLambda()) {
      frame.object = reader_.PathTo(*object, *object);
      if (!frame.object) return false;
    }
    for (int k = 0; k < count; ++k) {
      const CXCursor parameter = clang_Cursor_getArgument(definition_, static_cast<unsigned>(k));
      const CXCursor argument =
          clang_Cursor_getArgument(call_, static_cast<unsigned>(is_operator ? k + 1 : k));
      const CXType type = ValueType(clang_getCursorType(parameter));
      Bound bound;
      if (IsObjectType(type)) {
        const bool copy =
            TypeOf(type) != CType::Pointer && !IsReference(clang_getCursorType(parameter));
        if (copy && !frame.as_value && !IsLastingCopy(parameter)) {
          Refuse("takes a copy of an object that it may change, or that holds arrays");
          return false;
        }
        bound.object = reader_.PathTo(argument, argument);
      } else if (IsArrayType(type)) {
        bound.array = reader_.Named(argument);
      } else {
        const auto value = reader_.Read(argument);
        if (value) bound.value = reader_.ConvertedTo(*value, type, argument);
        const bool names = IsReference(clang_getCursorType(parameter)) && NamesSame(argument, type);
        if (bound.value && !frame.as_value && !names) {
          copies_.emplace_back(parameter, *bound.value);
          continue;
        }
      }
      if (!bound.array && !bound.value && !bound.object) return false;
      frame.variables[DeclarationKey(parameter)] = bound;
    }
    return true;
  }

  /// True where a reference to what the argument names refers to that itself.
  static bool NamesSame(CXCursor argument, CXType type) {
    const CXCursor cursor = Unwrap(argument);
    const CXCursorKind kind = clang_getCursorKind(cursor);
    const bool name = kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
                      kind == CXCursor_ArraySubscriptExpr || kind == CXCursor_CallExpr;
    return name && TypeOf(clang_getCursorType(cursor)) == TypeOf(type) &&
           FormatOf(clang_getCursorType(cursor)) == FormatOf(type);
  }

  /// True where no statement of the function can tell the object from a copy of it: it holds no
  /// arrays but by pointers, and no member of an object is set.
  bool IsLastingCopy(CXCursor parameter) const {
    const CXType type = clang_getCanonicalType(ValueType(clang_getCursorType(parameter)));
    for (const CXCursor field : ChildrenOf(clang_getTypeDeclaration(type))) {
      const CXCursorKind kind = clang_getCursorKind(field);
      if (kind == CXCursor_CXXBaseSpecifier) return false;
      if (kind != CXCursor_FieldDecl) continue;
      const CXType held = clang_getCanonicalType(clang_getCursorType(field));
      if (held.kind == CXType_Record || held.kind == CXType_ConstantArray) return false;
    }
    return !SetsMember(definition_);
  }

  bool IsLambda() const {
    const CXCursor parent = clang_getCursorSemanticParent(definition_);
    const std::string name = TakeString(clang_getCursorSpelling(parent));
    return name.empty() || name.rfind("(lambda", 0) == 0;
  }

  /// What the statements return, one after the other.
  std::optional<ExprId> Run(std::vector<CXCursor> statements) {
    while (!statements.empty()) {
      if (reader_.too_long_) return Refuse("is too long, written out");
      const CXCursor cursor = Unwrap(statements.front());
      statements.erase(statements.begin());
      switch (clang_getCursorKind(cursor)) {
        case CXCursor_NullStmt:
          continue;
        case CXCursor_CompoundStmt:
          statements = Joined(ChildrenOf(cursor), statements);
          continue;
        case CXCursor_DeclStmt:
          if (!Declare(cursor)) return std::nullopt;
          continue;
        case CXCursor_BinaryOperator:
        case CXCursor_CompoundAssignOperator:
          if (!Assign(cursor)) return std::nullopt;
          continue;
        case CXCursor_IfStmt:
          return Decide(cursor, statements);
        case CXCursor_ReturnStmt: {
          const std::vector<CXCursor> parts = ChildrenOf(cursor);
          const auto value = parts.empty() ? std::nullopt : reader_.Read(parts[0]);
          if (parts.empty()) return Refuse("returns nothing");
          return value ? reader_.ConvertedTo(*value, ValueType(result_), parts[0]) : std::nullopt;
        }
        default:
          return Refuse("does more than compute a number");
      }
    }
    return Refuse("may end without a value");
  }

  bool Declare(CXCursor cursor) {
    for (const CXCursor declaration : ChildrenOf(cursor)) {
      if (clang_getCursorKind(declaration) != CXCursor_VarDecl) continue;
      const CXType type = ValueType(clang_getCursorType(declaration));
      if (IsReference(clang_getCursorType(declaration)) && !IsValue(declaration)) {
        Refuse("has a reference to what changes");
        return false;
      }
      const bool kept = clang_Cursor_getStorageClass(declaration) == CX_SC_Static;
      if (kept || IsArrayType(type)) {
        Refuse(kept ? "keeps a value for its next call" : "has an array of its own");
        return false;
      }
      const CXCursor initializer = clang_Cursor_getVarDeclInitializer(declaration);
      Bound bound;
      if (clang_Cursor_isNull(initializer) == 0) {
        const auto value = reader_.Read(initializer);
        if (!value) return false;
        bound.value = reader_.ConvertedTo(*value, type, initializer);
        if (!bound.value) return false;
      }
      frame().variables[DeclarationKey(declaration)] = bound;
    }
    return true;
  }

  /// True of a reference that is the same as a copy: to what the function does not change.
  bool IsValue(CXCursor reference) const {
    const CXCursor value = Unwrap(clang_Cursor_getVarDeclInitializer(reference));
    const bool name = clang_getCursorKind(value) == CXCursor_DeclRefExpr;
    return !IsChangedIn(definition_, reference) &&
           !(name && IsChangedIn(definition_, clang_getCursorReferenced(value)));
  }

  bool Assign(CXCursor cursor) {
    const std::vector<CXCursor> sides = ChildrenOf(cursor);
    const CXCursor target = sides.empty() ? cursor : Unwrap(sides[0]);
    const std::string key = clang_getCursorKind(target) == CXCursor_DeclRefExpr
                                ? DeclarationKey(clang_getCursorReferenced(target))
                                : "";
    const auto found = frame().variables.find(key);
    const auto update = UpdateOf(cursor);
    if (sides.size() != 2 || !update || found == frame().variables.end() || found->second.array) {
      Refuse("does more than compute a number");
      return false;
    }
    auto value = reader_.Read(sides[1]);
    if (!value) return false;
    if (*update) {
      const auto before = reader_.Read(target);
      if (!before) return false;
      const CType type =
          std::max(reader_.region_.exprs[*before].type, reader_.region_.exprs[*value].type);
      value = reader_.Add({Binary{**update, *before, *value}, type, span_});
    }
    found->second.value = reader_.ConvertedTo(*value, clang_getCursorType(target), sides[1]);
    return found->second.value.has_value();
  }

  /// Both branches go on with what follows.
  std::optional<ExprId> Decide(CXCursor cursor, const std::vector<CXCursor>& rest) {
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    if (parts.size() < 2 || parts.size() > 3) return Refuse("has another form of `if`");
    const auto condition = reader_.Read(parts[0]);
    if (!condition) return std::nullopt;
    const Frame before = frame();
    const auto then_value = Run(Joined({parts[1]}, rest));
    frame() = before;
    std::vector<CXCursor> otherwise;
    if (parts.size() == 3) otherwise.push_back(parts[2]);
    const auto else_value = then_value ? Run(Joined(std::move(otherwise), rest)) : std::nullopt;
    if (!then_value || !else_value) return std::nullopt;
    const CType type = reader_.region_.exprs[*then_value].type;
    return reader_.Add({Conditional{*condition, *then_value, *else_value}, type, span_});
  }

  /// `+` of `+=`, none of `=`; empty where it is another operator.
  static std::optional<std::optional<BinaryOp>> UpdateOf(CXCursor cursor) {
    switch (clang_getCursorBinaryOperatorKind(cursor)) {
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
      default:
        return std::nullopt;
    }
  }

  ExprReader& reader_;
  std::vector<std::pair<CXCursor, ExprId>> copies_;
  CXCursor call_;
  CXCursor definition_;
  Span span_;
  std::string name_;
  CXType result_;
};

std::optional<ExprId> ExprReader::ReadFunction(CXCursor call, CXCursor definition, Span span) {
  return FunctionReader(*this, call, definition, span).Value();
}

std::optional<ExprReader::CalledFunction> ExprReader::EnterFunction(CXCursor call,
                                                                    CXCursor definition,
                                                                    Span span) {
  FunctionReader function(*this, call, definition, span);
  auto body = function.Enter(false);
  if (!body) return std::nullopt;
  CalledFunction called;
  for (const auto& [parameter, value] : function.copies()) {
    const auto variable = Declared(parameter, span);
    if (!variable) continue;  // as has been said
    region_.variables[*variable].is_parameter = true;
    called.parameters.emplace_back(*variable, value);
  }
  // What a call returns that is used as a statement is nobody's.
  if (!body->empty() && clang_getCursorKind(body->back()) == CXCursor_ReturnStmt) {
    const std::vector<CXCursor> value = ChildrenOf(body->back());
    if (value.empty() || IntegerValue(value[0])) body->pop_back();
  }
  called.statements = *std::move(body);
  return called;
}

std::optional<ExprReader::Place> ExprReader::ReadReference(CXCursor call, CXCursor definition,
                                                           Span span) {
  const auto body = FunctionReader(*this, call, definition, span).Enter(true);
  if (!body) return std::nullopt;
  std::optional<Place> place;
  const bool returns =
      body->size() == 1 && clang_getCursorKind(body->front()) == CXCursor_ReturnStmt;
  if (returns) {
    place = ReadPlace(ChildrenOf(body->front()).at(0));
  } else {
    sink_.Report(span, kFunction, TakeString(clang_getCursorSpelling(definition)),
                 "does more than return an element");
  }
  calls_.pop_back();
  return place;
}

void ExprReader::LeaveFunction() {
  calls_.pop_back();
}

bool ExprReader::IsOfFunction(CXCursor declaration) const {
  return std::any_of(calls_.begin(), calls_.end(), [&](const Frame& frame) {
    return clang_equalCursors(clang_getCursorSemanticParent(declaration), frame.definition) != 0;
  });
}

const ExprReader::Bound* ExprReader::BoundTo(CXCursor declaration) const {
  if (calls_.empty()) return nullptr;
  const auto found = calls_.back().variables.find(DeclarationKey(declaration));
  return found == calls_.back().variables.end() ? nullptr : &found->second;
}

ExprId ExprReader::Copied(ExprId id) {
  too_long_ = too_long_ || region_.exprs.size() > kMostExpressions;
  if (too_long_) return id;
  Expr expr = region_.exprs[id];
  ReplaceOperands(expr, [&](ExprId part) { return Copied(part); });
  return Add(std::move(expr));
}

}  // namespace stencilgen::scop
