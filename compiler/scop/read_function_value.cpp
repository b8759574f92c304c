#include "scop/read_function_value.h"

#include <algorithm>
#include <utility>

#include "scop/changed_variables.h"
#include "scop/cursor.h"
#include "scop/evaluate.h"
#include "scop/read_list.h"

namespace stencilgen::scop {
namespace {

/// Of all loops of a call.
constexpr int kMostTurns = 1000;

/// True of a reference that is the same as a copy: to what the function does not change.
bool IsValue(CXCursor definition, CXCursor reference) {
  const CXCursor value = Unwrap(clang_Cursor_getVarDeclInitializer(reference));
  const bool name = clang_getCursorKind(value) == CXCursor_DeclRefExpr;
  return !IsChangedIn(definition, reference) &&
         !(name && IsChangedIn(definition, clang_getCursorReferenced(value)));
}

/// True where a statement below leads elsewhere than to the next one.
bool Leaves(CXCursor cursor) {
  return AnyBelow(cursor, [](CXCursor each) {
    const CXCursorKind kind = clang_getCursorKind(each);
    return kind == CXCursor_ReturnStmt || kind == CXCursor_ContinueStmt ||
           kind == CXCursor_BreakStmt;
  });
}

}  // namespace

CXType ValueType(CXType type) {
  return IsReference(type) ? clang_getPointeeType(type) : type;
}

bool IsArrayType(CXType type) {
  if (ContainerOf(type)) return true;
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return kind == CXType_Pointer || kind == CXType_ConstantArray || kind == CXType_VariableArray ||
         kind == CXType_IncompleteArray;
}

std::optional<ExprId> ExprReader::FunctionValue::Of(const std::vector<CXCursor>& statements) {
  const End end = Run(StepsOf(statements));
  if (end.what == End::What::Returned) return end.value;
  if (end.what == End::What::Reached) Refuse("may end without a value");
  return std::nullopt;
}

ExprReader::FunctionValue::Steps ExprReader::FunctionValue::StepsOf(
    const std::vector<CXCursor>& statements) {
  Steps steps;
  steps.reserve(statements.size());
  for (const CXCursor statement : statements) steps.push_back({statement});
  return steps;
}

ExprReader::FunctionValue::Steps ExprReader::FunctionValue::Before(Steps first, const Steps& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

void ExprReader::FunctionValue::Refuse(const std::string& why) {
  const std::string name = TakeString(clang_getCursorSpelling(definition_));
  reader_.sink_.Report(span_, kFunction, name, why).Hint(kKnownFunctions);
}

ExprReader::FunctionValue::End ExprReader::FunctionValue::Run(Steps steps) {
  while (!steps.empty()) {
    if (reader_.too_long_) {
      Refuse("is too long, written out");
      return {};
    }
    const Step step{Unwrap(steps.front().cursor), steps.front().what};
    steps.erase(steps.begin());
    switch (clang_getCursorKind(step.cursor)) {
      case CXCursor_NullStmt:
        continue;
      case CXCursor_CompoundStmt:
        steps = Before(StepsOf(ChildrenOf(step.cursor)), steps);
        continue;
      case CXCursor_DeclStmt:
        if (!Declare(step.cursor)) return {};
        continue;
      case CXCursor_BinaryOperator:
        if (clang_getCursorBinaryOperatorKind(step.cursor) == CXBinaryOperator_Comma) {
          steps = Before(StepsOf(ChildrenOf(step.cursor)), steps);
          continue;
        }
        [[fallthrough]];
      case CXCursor_CompoundAssignOperator:
        if (!Assign(step.cursor)) return {};
        continue;
      case CXCursor_ContinueStmt:
      case CXCursor_BreakStmt: {
        const auto turn = std::find_if(steps.begin(), steps.end(), [](const Step& each) {
          return each.what == Step::What::Advance;
        });
        const bool leaves = clang_getCursorKind(step.cursor) == CXCursor_BreakStmt;
        steps.erase(steps.begin(), leaves && turn != steps.end() ? turn + 1 : turn);
        continue;
      }
      case CXCursor_UnaryOperator:
        if (!Increment(step.cursor)) return {};
        continue;
      case CXCursor_ForStmt: {
        auto next = Turn(step, steps);
        if (!next) return {};
        steps = *std::move(next);
        continue;
      }
      case CXCursor_IfStmt: {
        End end;
        auto next = Decide(step.cursor, steps, end);
        if (!next) return end;
        steps = *std::move(next);
        continue;
      }
      case CXCursor_ReturnStmt:
        return Return(step.cursor);
      default:
        Refuse("does more than compute a number");
        return {};
    }
  }
  return {End::What::Reached};
}

ExprReader::FunctionValue::End ExprReader::FunctionValue::Return(CXCursor cursor) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  if (parts.empty()) {
    Refuse("returns nothing");
    return {};
  }
  const auto value = reader_.Read(parts[0]);
  if (!value) return {};
  const CXType type = ValueType(clang_getCursorResultType(definition_));
  const auto converted = reader_.ConvertedTo(*value, type, parts[0]);
  return converted ? End{End::What::Returned, *converted} : End{};
}

bool ExprReader::FunctionValue::Declare(CXCursor cursor) {
  const std::vector<CXCursor> declarations = ChildrenOf(cursor);
  return std::all_of(declarations.begin(), declarations.end(), [&](CXCursor declaration) {
    return clang_getCursorKind(declaration) != CXCursor_VarDecl || DeclareVariable(declaration);
  });
}

bool ExprReader::FunctionValue::DeclareVariable(CXCursor declaration) {
  const CXType type = ValueType(clang_getCursorType(declaration));
  if (IsReference(clang_getCursorType(declaration)) && !IsValue(definition_, declaration)) {
    Refuse("has a reference to what changes");
    return false;
  }
  if (reader_.ReadPointerInto(declaration, span_)) return true;
  const bool array = IsArrayType(type);
  const bool kept = clang_Cursor_getStorageClass(declaration) == CX_SC_Static;
  const bool constant = clang_isConstQualifiedType(type) != 0 || ShapeOf(type).is_constant;
  Bound bound;
  if (array && constant) bound.array = reader_.Declared(declaration, span_);
  const bool table = bound.array && !reader_.region_.variables[*bound.array].values.empty();
  if (kept && !(constant && (table || !array))) {
    Refuse("keeps a value for its next call");
    return false;
  }
  if (array && !table) return DeclareArray(declaration);
  if (table) frame().tables.insert(*bound.array);
  const CXCursor initializer = clang_Cursor_getVarDeclInitializer(declaration);
  if (!array && clang_Cursor_isNull(initializer) == 0) {
    const auto value = reader_.Read(initializer);
    if (!value) return false;
    bound.value = reader_.ConvertedTo(*value, type, initializer);
    if (!bound.value) return false;
    bound.value = Folded(*bound.value);
  }
  frame().variables[DeclarationKey(declaration)] = bound;
  return true;
}

bool ExprReader::FunctionValue::DeclareArray(CXCursor declaration) {
  constexpr std::int64_t kMost = 128;
  const ArrayShape shape = ShapeOf(clang_getCursorType(declaration));
  std::int64_t size = shape.extents.empty() ? 0 : 1;
  for (const std::int64_t extent : shape.extents) {
    size = extent < 1 || size > kMost ? 0 : size * extent;
  }
  const bool number = IsInteger(TypeOf(shape.element)) || IsFloating(TypeOf(shape.element));
  if (size < 1 || size > kMost || !number || FormatOf(shape.element) != ElementFormat::Plain) {
    Refuse("has an array of its own, of many or unknown elements");
    return false;
  }
  Bound bound;
  bound.extents = shape.extents;
  bound.elements.resize(static_cast<std::size_t>(size));
  const CXCursor initializer = clang_Cursor_getVarDeclInitializer(declaration);
  if (clang_Cursor_isNull(initializer) == 0) {
    const auto list = ListOf(declaration);
    const auto listed = list ? ListedElements(*list, shape.extents, kMost) : std::nullopt;
    if (!listed || listed->size() != bound.elements.size()) {
      Refuse("has an array of its own with another kind of list");
      return false;
    }
    for (std::size_t k = 0; k < listed->size(); ++k) {
      const auto& given = (*listed)[k].value;
      const auto value = given ? reader_.Read(*given) : std::optional(reader_.Number(0, span_));
      if (!value) return false;
      const auto held = reader_.ConvertedTo(*value, shape.element, given.value_or(declaration));
      if (!held) return false;
      bound.elements[k] = Folded(*held);
    }
  }
  frame().variables[DeclarationKey(declaration)] = bound;
  return true;
}

std::optional<ExprId>* ExprReader::FunctionValue::ValueOf(CXCursor target) {
  if (clang_getCursorKind(target) == CXCursor_ArraySubscriptExpr) {
    const auto own = reader_.OwnElementOf(target);
    if (own && own->place) return &frame().variables.at(own->key).elements[*own->place];
    if (own) {
      Refuse("names an element of its own that is not known");
      return nullptr;
    }
  }
  if (clang_getCursorKind(target) == CXCursor_DeclRefExpr) {
    const auto found = frame().variables.find(DeclarationKey(clang_getCursorReferenced(target)));
    const bool scalar =
        found != frame().variables.end() && !found->second.array && found->second.elements.empty();
    if (scalar) return &found->second.value;
  }
  Refuse("does more than compute a number");
  return nullptr;
}

bool ExprReader::FunctionValue::Assign(CXCursor cursor) {
  const std::vector<CXCursor> sides = ChildrenOf(cursor);
  const CXCursor target = sides.empty() ? cursor : Unwrap(sides[0]);
  const auto update = UpdateOf(cursor);
  if (sides.size() != 2 || !update) {
    Refuse("does more than compute a number");
    return false;
  }
  if (ValueOf(target) == nullptr) return false;
  auto value = reader_.Read(sides[1]);
  if (value && *update) value = Updated(target, **update, *value);
  return value && Set(target, *value, sides[1]);
}

bool ExprReader::FunctionValue::Set(CXCursor target, ExprId value, CXCursor from) {
  const auto held = reader_.ConvertedTo(value, clang_getCursorType(target), from);
  if (!held) return false;
  *ValueOf(target) = Folded(*held);
  return true;
}

bool ExprReader::FunctionValue::Increment(CXCursor cursor) {
  const CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
  const bool up = kind == CXUnaryOperator_PreInc || kind == CXUnaryOperator_PostInc;
  if (!up && kind != CXUnaryOperator_PreDec && kind != CXUnaryOperator_PostDec) {
    Refuse("does more than compute a number");
    return false;
  }
  const CXCursor target = Unwrap(ChildrenOf(cursor)[0]);
  if (ValueOf(target) == nullptr) return false;
  const auto value = Updated(target, up ? BinaryOp::Add : BinaryOp::Sub, reader_.Number(1, span_));
  return value && Set(target, *value, target);
}

/// `target op value`
std::optional<ExprId> ExprReader::FunctionValue::Updated(CXCursor target, BinaryOp op,
                                                         ExprId value) {
  const auto before = reader_.Read(target);
  if (!before) return std::nullopt;
  const CType type =
      std::max(reader_.region_.exprs[*before].type, reader_.region_.exprs[value].type);
  return reader_.Add({Binary{op, *before, value}, type, span_});
}

ExprId ExprReader::FunctionValue::Folded(ExprId value) {
  const CType type = reader_.region_.exprs[value].type;
  if (!IsInteger(type) || type == CType::Bool) return value;
  const auto known = Evaluate(reader_.region_, value, {});
  if (!known) return value;
  const ExprId number = reader_.Number(*known, span_);
  reader_.region_.exprs[number].type = type;
  return number;
}

std::optional<ExprReader::FunctionValue::Steps> ExprReader::FunctionValue::Turn(const Step& step,
                                                                                const Steps& rest) {
  const std::vector<CXCursor> parts = ChildrenOf(step.cursor);
  if (parts.size() != 4) {
    Refuse("has another form of `for`");
    return std::nullopt;
  }
  const Step test{step.cursor, Step::What::Test};
  if (step.what == Step::What::Statement) return Before({{parts[0]}, test}, rest);
  if (step.what == Step::What::Advance) return Before({{parts[2]}, test}, rest);
  const auto condition = reader_.Read(parts[1]);
  if (!condition) return std::nullopt;
  const auto turns = Evaluate(reader_.region_, *condition, {});
  if (!turns) {
    Refuse("has a loop whose turns are not known");
    return std::nullopt;
  }
  if (*turns == 0) return rest;
  if (++turns_ > kMostTurns) {
    Refuse("is too long, written out");
    return std::nullopt;
  }
  return Before({{parts[3]}, {step.cursor, Step::What::Advance}}, rest);
}

std::optional<ExprReader::FunctionValue::Steps> ExprReader::FunctionValue::Decide(CXCursor cursor,
                                                                                  const Steps& rest,
                                                                                  End& end) {
  const std::vector<CXCursor> parts = ChildrenOf(cursor);
  if (parts.size() < 2 || parts.size() > 3) {
    Refuse("has another form of `if`");
    return std::nullopt;
  }
  const auto condition = reader_.Read(parts[0]);
  if (!condition) return std::nullopt;
  const Steps then_steps = {{parts[1]}};
  const Steps else_steps = parts.size() == 3 ? Steps{{parts[2]}} : Steps();
  if (const auto known = Evaluate(reader_.region_, *condition, {})) {
    return Before(*known != 0 ? then_steps : else_steps, rest);
  }
  if (Leaves(cursor)) {
    end = DecideValue(*condition, Before(then_steps, rest), Before(else_steps, rest));
    return std::nullopt;
  }
  const Frame before = frame();
  const auto merged = Merge(*condition, then_steps, else_steps);
  if (!merged) return std::nullopt;
  const bool turns = std::any_of(rest.begin(), rest.end(), [](const Step& step) {
    return step.what != Step::What::Statement;
  });
  if (*merged || turns) return rest;
  // An integer may be a subscript of what follows.
  frame() = before;
  end = DecideValue(*condition, Before(then_steps, rest), Before(else_steps, rest));
  return std::nullopt;
}

/// Both branches go on with what follows.
ExprReader::FunctionValue::End ExprReader::FunctionValue::DecideValue(ExprId condition,
                                                                      const Steps& then_steps,
                                                                      const Steps& else_steps) {
  const Frame before = frame();
  const End then_end = Run(then_steps);
  frame() = before;
  const End else_end = then_end.what == End::What::Refused ? then_end : Run(else_steps);
  if (then_end.what != End::What::Returned || else_end.what != End::What::Returned) {
    return else_end.what == End::What::Refused ? else_end : End{End::What::Reached};
  }
  const CType type = reader_.region_.exprs[then_end.value].type;
  return {End::What::Returned,
          reader_.Add({Conditional{condition, then_end.value, else_end.value}, type, span_})};
}

std::optional<bool> ExprReader::FunctionValue::Merge(ExprId condition, const Steps& then_steps,
                                                     const Steps& else_steps) {
  const Frame before = frame();
  if (Run(then_steps).what == End::What::Refused) return std::nullopt;
  const Frame then_frame = std::exchange(frame(), before);
  if (Run(else_steps).what == End::What::Refused) return std::nullopt;
  bool floating = true;
  const auto merge = [&](std::optional<ExprId>& value, const std::optional<ExprId>& other) {
    if (value == other) return;
    // Of a variable without a value nothing is read.
    if (!value || !other) {
      value = value ? value : other;
      return;
    }
    const CType type = reader_.region_.exprs[*value].type;
    floating = floating && !IsInteger(type);
    value = reader_.Add({Conditional{reader_.Copied(condition), *other, *value}, type, span_});
  };
  for (auto& [key, bound] : frame().variables) {
    if (before.variables.count(key) == 0) continue;
    const Bound& other = then_frame.variables.at(key);
    merge(bound.value, other.value);
    for (std::size_t k = 0; k < bound.elements.size(); ++k) {
      merge(bound.elements[k], other.elements[k]);
    }
  }
  return floating;
}

}  // namespace stencilgen::scop
