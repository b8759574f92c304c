#include "scop/read_function_value.h"

#include <algorithm>
#include <utility>

#include "scop/changed_variables.h"
#include "scop/cursor.h"
#include "scop/evaluate.h"

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

bool Returns(CXCursor cursor) {
  return AnyBelow(cursor,
                  [](CXCursor each) { return clang_getCursorKind(each) == CXCursor_ReturnStmt; });
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
      case CXCursor_CompoundAssignOperator:
        if (!Assign(step.cursor)) return {};
        continue;
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
  const bool array = IsArrayType(type);
  const bool kept = clang_Cursor_getStorageClass(declaration) == CX_SC_Static;
  const bool constant = clang_isConstQualifiedType(type) != 0 ||
                        clang_isConstQualifiedType(clang_getArrayElementType(type)) != 0;
  Bound bound;
  if (array && constant) bound.array = reader_.Declared(declaration, span_);
  const bool table = bound.array && !reader_.region_.variables[*bound.array].values.empty();
  if ((kept && !constant) || (array && !table)) {
    Refuse(kept ? "keeps a value for its next call" : "has an array of its own");
    return false;
  }
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

ExprReader::Bound* ExprReader::FunctionValue::VariableOf(CXCursor target) {
  if (clang_getCursorKind(target) == CXCursor_DeclRefExpr) {
    const auto found = frame().variables.find(DeclarationKey(clang_getCursorReferenced(target)));
    if (found != frame().variables.end() && !found->second.array) return &found->second;
  }
  Refuse("does more than compute a number");
  return nullptr;
}

bool ExprReader::FunctionValue::Assign(CXCursor cursor) {
  const std::vector<CXCursor> sides = ChildrenOf(cursor);
  const CXCursor target = sides.empty() ? cursor : Unwrap(sides[0]);
  const auto update = UpdateOf(cursor);
  Bound* variable = sides.size() == 2 && update ? VariableOf(target) : nullptr;
  if (variable == nullptr) {
    if (!update) Refuse("does more than compute a number");
    return false;
  }
  auto value = reader_.Read(sides[1]);
  if (value && *update) value = Updated(target, **update, *value);
  if (value) value = reader_.ConvertedTo(*value, clang_getCursorType(target), sides[1]);
  if (!value) return false;
  variable->value = Folded(*value);
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
  Bound* variable = VariableOf(target);
  if (variable == nullptr) return false;
  auto value = Updated(target, up ? BinaryOp::Add : BinaryOp::Sub, reader_.Number(1, span_));
  if (value) value = reader_.ConvertedTo(*value, clang_getCursorType(target), target);
  if (!value) return false;
  variable->value = Folded(*value);
  return true;
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
  if (Returns(cursor)) {
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
  for (auto& [key, bound] : frame().variables) {
    const auto other = then_frame.variables.find(key);
    if (before.variables.count(key) == 0 || other->second.value == bound.value) continue;
    if (!bound.value || !other->second.value) {
      // Of a variable without a value nothing is read.
      if (!bound.value) bound.value = other->second.value;
      continue;
    }
    const CType type = reader_.region_.exprs[*bound.value].type;
    floating = floating && !IsInteger(type);
    bound.value = reader_.Add(
        {Conditional{reader_.Copied(condition), *other->second.value, *bound.value}, type, span_});
  }
  return floating;
}

}  // namespace stencilgen::scop
