// Calls of functions that the file defines: ExprReader's part that puts their values in place.
#include <algorithm>
#include <utility>
#include <vector>

#include "scop/changed_variables.h"
#include "scop/changes.h"
#include "scop/cursor.h"
#include "scop/evaluate.h"
#include "scop/read_expr.h"
#include "scop/read_function_value.h"

namespace stencilgen::scop {
namespace {

/// Of a region with all that its functions compute.
constexpr std::size_t kMostExpressions = 40000;
constexpr std::size_t kMostCallsInside = 16;

/// The object whose member is called: `u` of `u(i, j)` and of `u.at(i, j)`. Empty where there is
/// none, or it is `this` and not written.
std::optional<CXCursor> ObjectOf(CXCursor call, CXCursor definition) {
  if (clang_getCursorKind(definition) != CXCursor_CXXMethod) return std::nullopt;
  const int count = clang_Cursor_getNumArguments(definition);
  if (clang_Cursor_getNumArguments(call) == count + 1) return clang_Cursor_getArgument(call, 0);
  return MemberObject(call);
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

/// A structure or a class, or a pointer to one, but for what regions compute with.
bool IsObjectType(CXType type) {
  const CXType pointee = clang_getPointeeType(type);
  const CXType object = pointee.kind == CXType_Invalid ? type : pointee;
  return clang_getCanonicalType(object).kind == CXType_Record && !IsComplex(TypeOf(object)) &&
         !ContainerOf(object);
}

/// `return;` or `continue;`, as `kind` says.
bool IsExit(CXCursor statement, CXCursorKind kind) {
  return clang_getCursorKind(statement) == kind && ChildrenOf(statement).empty();
}

/// True where the statements end with such an exit, which is taken away.
bool LeaveAtEnd(std::vector<CXCursor>& statements, CXCursorKind kind) {
  if (statements.empty() || !IsExit(statements.back(), kind)) return false;
  statements.pop_back();
  return true;
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

std::vector<CXCursor> StatementsOf(CXCursor statement) {
  const bool block = clang_getCursorKind(statement) == CXCursor_CompoundStmt;
  return block ? ChildrenOf(statement) : std::vector{statement};
}

BodyWithExit FindExit(const std::vector<CXCursor>& statements, CXCursorKind kind) {
  BodyWithExit body;
  for (auto at = statements.begin(); at != statements.end(); ++at) {
    if (IsExit(*at, kind)) return body;
    const std::vector<CXCursor> parts = ChildrenOf(*at);
    if (clang_getCursorKind(*at) == CXCursor_IfStmt && parts.size() >= 2) {
      EarlyExit early{*at, parts[0], StatementsOf(parts[1]), {}};
      if (parts.size() == 3) early.else_branch = StatementsOf(parts[2]);
      const bool then_leaves = LeaveAtEnd(early.then_branch, kind);
      const bool else_leaves = LeaveAtEnd(early.else_branch, kind);
      auto& stays = then_leaves ? early.else_branch : early.then_branch;
      if (then_leaves != else_leaves) stays.insert(stays.end(), at + 1, statements.end());
      if (then_leaves || else_leaves) {
        body.exit = std::move(early);
        return body;
      }
    }
    body.before.push_back(*at);
  }
  return body;
}

/// Reads a call of a function: its arguments, and its body as a value (read_function_value.h) or as
/// statements.
class ExprReader::FunctionReader {
 public:
  FunctionReader(ExprReader& reader, CXCursor call, CXCursor definition, Span span)
      : reader_(reader),
        call_(call),
        definition_(definition),
        span_(span),
        name_(TakeString(clang_getCursorSpelling(definition))) {}

  std::optional<ExprId> Value() {
    auto body = Enter(true);
    if (!body) return std::nullopt;
    auto value = FunctionValue(reader_, definition_, span_).Of(*std::move(body));
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
      for (const auto& [parameter, place] : places_) reader_.Refer(parameter, place, span_);
      for (const auto& [parameter, row] : rows_) reader_.PointTo(parameter, row, span_);
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
          ArgumentOf(parameter, static_cast<unsigned>(is_operator ? k + 1 : k));
      const CXType type = ValueType(clang_getCursorType(parameter));
      if (const auto place = PlaceOfArgument(parameter, argument, frame.as_value)) {
        if (!*place) return false;
        places_.emplace_back(parameter, **place);
        continue;
      }
      Bound bound;
      if (IsObjectType(type)) {
        const bool copy =
            TypeOf(type) != CType::Pointer && !IsReference(clang_getCursorType(parameter));
        if (copy && !frame.as_value && !IsLastingCopy(parameter)) {
          Refuse("takes a copy of an object that it may change, or that holds arrays");
          return false;
        }
        bound.object = reader_.PathTo(argument, argument);
      } else if (IsArrayType(type) && reader_.PointsInto(argument)) {
        auto row = reader_.ReadRow(argument);
        if (!row) return false;
        rows_.emplace_back(parameter, *std::move(row));
        continue;
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

  /// What the call gives, or else the parameter's own default.
  CXCursor ArgumentOf(CXCursor parameter, unsigned k) const {
    const CXCursor given = clang_Cursor_getArgument(call_, k);
    const bool is_given = clang_isExpression(clang_getCursorKind(given)) != 0 &&
                          clang_getCursorKind(Unwrap(given)) != CXCursor_UnexposedExpr;
    if (is_given) return given;
    for (const CXCursor part : ChildrenOf(parameter)) {
      if (clang_isExpression(clang_getCursorKind(part)) != 0) return part;
    }
    return given;
  }

  /// The scalar or element that the function names by the parameter alone: what its pointer points
  /// to, or what it is a reference to and is set. Empty where it is another parameter.
  std::optional<std::optional<ExprId>> PlaceOfArgument(CXCursor parameter, CXCursor argument,
                                                       bool as_value) {
    const CXType type = clang_getCursorType(parameter);
    const CXCursor given = Unwrap(argument);
    if (TypeOf(type) == CType::Pointer) {
      const bool address = clang_getCursorKind(given) == CXCursor_UnaryOperator &&
                           clang_getCursorUnaryOperatorKind(given) == CXUnaryOperator_AddrOf;
      const auto own = reader_.references_.find(reader_.KeyOf(clang_getCursorReferenced(given)));
      const bool passed = own != reader_.references_.end();
      if ((!address && !passed) || IsObjectType(type) ||
          IsUsedOtherwise(definition_, parameter, kMostCallsInside)) {
        return std::nullopt;
      }
      if (passed) return reader_.Copied(own->second);
      return reader_.ReadTarget(ChildrenOf(given)[0]);
    }
    const bool is_set = !as_value && IsReference(type) && MayChangeIn(definition_, parameter);
    if (!is_set || IsObjectType(ValueType(type)) || IsArrayType(ValueType(type)) ||
        !NamesSame(argument, ValueType(type))) {
      return std::nullopt;
    }
    return reader_.ReadTarget(given);
  }

  /// True where below the cursor the pointer is used, but as `*p`, here and where it is passed on.
  static bool IsUsedOtherwise(CXCursor cursor, CXCursor pointer, std::size_t calls) {
    const auto names = [&](CXCursor each) {
      return clang_getCursorKind(each) == CXCursor_DeclRefExpr &&
             clang_equalCursors(clang_getCursorReferenced(each), pointer) != 0;
    };
    const auto passed_on = [&](CXCursor call, CXCursor argument) {
      const auto definition = FunctionDefinition(call);
      const int count = definition ? clang_Cursor_getNumArguments(*definition) : 0;
      if (calls == 0 || count != clang_Cursor_getNumArguments(call)) return false;
      for (int k = 0; k < count; ++k) {
        const auto at = static_cast<unsigned>(k);
        if (clang_equalCursors(clang_Cursor_getArgument(call, at), argument) == 0) continue;
        return !IsUsedOtherwise(*definition, clang_Cursor_getArgument(*definition, at), calls - 1);
      }
      return false;
    };
    const std::vector<CXCursor> children = ChildrenOf(cursor);
    return std::any_of(children.begin(), children.end(), [&](CXCursor child) {
      const bool value = clang_getCursorKind(child) == CXCursor_UnaryOperator &&
                         clang_getCursorUnaryOperatorKind(child) == CXUnaryOperator_Deref &&
                         names(Unwrap(ChildrenOf(child)[0]));
      if (value) return false;
      const bool argument =
          clang_getCursorKind(cursor) == CXCursor_CallExpr && names(Unwrap(child));
      if (argument) return !passed_on(cursor, child);
      return names(child) || IsUsedOtherwise(child, pointer, calls);
    });
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

  ExprReader& reader_;
  std::vector<std::pair<CXCursor, ExprId>> copies_;
  std::vector<std::pair<CXCursor, ExprId>> places_;  ///< what parameters refer to
  std::vector<std::pair<CXCursor, Place>> rows_;     ///< where they point to, into arrays
  CXCursor call_;
  CXCursor definition_;
  Span span_;
  std::string name_;
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

std::optional<ExprReader::OwnElement> ExprReader::OwnElementOf(CXCursor cursor) {
  std::vector<CXCursor> subscripts;
  while (clang_getCursorKind(cursor) == CXCursor_ArraySubscriptExpr) {
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    if (parts.size() != 2) return std::nullopt;
    subscripts.insert(subscripts.begin(), parts[1]);
    cursor = Unwrap(parts[0]);
  }
  const CXCursor declaration = clang_getCursorReferenced(cursor);
  const Bound* bound = BoundTo(declaration);
  if (bound == nullptr || bound->elements.empty()) return std::nullopt;
  const std::vector<std::int64_t> extents = bound->extents;  // reading binds variables of calls
  std::vector<ExprId> places;
  for (const CXCursor subscript : subscripts) {
    const auto place = Read(subscript);
    if (!place) break;
    places.push_back(*place);
  }
  return OwnElement{DeclarationKey(declaration), ElementNumber(region_, places, extents)};
}

std::optional<ExprId> ExprReader::ReadOwn(const OwnElement& own, CXCursor cursor) {
  const Bound& bound = calls_.back().variables.at(own.key);
  const auto value = own.place ? bound.elements[*own.place] : std::nullopt;
  if (value) return Copied(*value);
  const std::string name = TakeString(clang_getCursorSpelling(calls_.back().definition));
  sink_
      .Report(SpanOf(cursor), kFunction, name,
              own.place ? "reads an element that it has not set"
                        : "names an element of its own that is not known")
      .Hint(kKnownFunctions);
  return std::nullopt;
}

std::optional<ExprId> ExprReader::ReadChoice(CXCursor cursor, Span span) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  if (parts.size() != 3) return Refuse(cursor, span);
  const auto condition = Read(parts[0]);
  const bool as_value = !calls_.empty() && calls_.back().as_value;
  if (const auto known = as_value && condition ? Evaluate(region_, *condition, {}) : std::nullopt) {
    const CXCursor side = parts[*known != 0 ? 1 : 2];
    const auto value = Read(side);
    return value ? ConvertedTo(*value, clang_getCursorType(cursor), side) : std::nullopt;
  }
  const auto then_value = Read(parts[1]);
  const auto else_value = Read(parts[2]);
  if (!condition || !then_value || !else_value) return std::nullopt;
  const CType type = TypeOf(clang_getCursorType(cursor));
  return Add({Conditional{*condition, *then_value, *else_value}, type, span});
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
