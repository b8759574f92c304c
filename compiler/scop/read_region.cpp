#include "scop/read_region.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "scop/cursor.h"
#include "scop/read_copy.h"
#include "scop/read_expr.h"
#include "scop/read_list.h"
#include "scop/read_loop.h"
#include "scop/refusal.h"
#include "scop/rotations.h"
#include "scop/uses_outside.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kStatement{"c-statement", Severity::Error,
                                                 "a region has no counterpart for {}"};
constexpr DiagnosticKind<std::string> kIteratorAssigned{
    "c-iterator-assigned", Severity::Error, "`{}` counts a loop, and is changed inside of it"};

class RegionReader {
 public:
  RegionReader(CXCursor function, Span whole, Span begin, DiagnosticSink& sink)
      : whole_(whole),
        sink_(sink),
        exprs_(region_, function, whole, sink),
        copies_(region_, exprs_, sink) {
    region_.begin = begin;
    region_.whole = whole;
  }

  Region Run(const std::vector<CXCursor>& statements, CXCursor function, bool& complete) {
    const std::size_t errors = sink_.ErrorCount();
    ReadAll(statements, region_.body);
    if (sink_.ErrorCount() == errors) copies_.Finish();
    if (sink_.ErrorCount() == errors) CheckTemporaries();
    exprs_.CheckReferences(assigned_);
    exprs_.CompareSizes();
    complete = sink_.ErrorCount() == errors;
    if (complete) {
      FindUsesOutside(region_, function, exprs_, {outer_iterators_, assigned_}, sink_);
    }
    return std::move(region_);
  }

 private:
  Span PlaceOrWhole(CXCursor cursor) const { return PlaceOf(cursor).value_or(whole_); }

  /// A pointer that keeps another one is no array of its own.
  void CheckTemporaries() {
    for (const Expr& expr : region_.exprs) {
      const auto* element = std::get_if<Element>(&expr.node);
      if (element == nullptr || temporaries_.count(element->variable) == 0) continue;
      sink_.Report(expr.span, kStatement, std::string("a pointer that is moved to another one"));
    }
  }

  void ReadAll(const std::vector<CXCursor>& cursors, std::vector<StatementId>& to) {
    for (const CXCursor cursor : cursors) ReadStatement(cursor, to);
    JoinSwaps(to);
  }

  void Add(std::vector<StatementId>& to, Statement statement) {
    to.push_back(region_.statements.Add(std::move(statement)));
  }

  void ReadStatement(CXCursor wrapped, std::vector<StatementId>& to) {
    const CXCursor cursor = Unwrap(wrapped);
    const Span span = PlaceOrWhole(cursor);
    const CXCursorKind kind = clang_getCursorKind(cursor);
    switch (kind) {
      case CXCursor_NullStmt:
        return;
      case CXCursor_CompoundStmt: {
        const ExprReader::Scope scope(exprs_);
        std::vector<StatementId> inner;
        ReadAll(ChildrenOf(cursor), inner);
        to.insert(to.end(), inner.begin(), inner.end());
        return;
      }
      case CXCursor_DeclStmt:
        return ReadDeclarations(cursor, to);
      case CXCursor_ForStmt:
        return ReadLoop(cursor, span, to);
      case CXCursor_IfStmt:
        return ReadIf(cursor, span, to);
      case CXCursor_BinaryOperator:
      case CXCursor_CompoundAssignOperator:
        return ReadAssignment(cursor, span, to);
      case CXCursor_UnaryOperator:
        return ReadIncrement(cursor, span, to);
      case CXCursor_CallExpr:
        if (ReadComplexAssignment(cursor, span, to)) return;
        if (ReadSwapCall(cursor, span, to)) return;
        if (copies_.Read(cursor, span, to)) return;
        if (const auto definition = FunctionDefinition(cursor)) {
          return ReadFunction(cursor, *definition, span, to);
        }
        if (!exprs_.Read(cursor)) return;  // a function that is not known, as has been said
        sink_.Report(span, kStatement, std::string("a call whose value is not used"));
        return;
      default: {
        const Refusal refusal = RefusalOf(kind);
        auto report = sink_.Report(HeadOf(span), kStatement, refusal.what);
        if (!refusal.hint.empty()) report.Hint(refusal.hint);
      }
    }
  }

  /// The statements of a function that is called.
  void ReadFunction(CXCursor call, CXCursor definition, Span span, std::vector<StatementId>& to) {
    const ExprReader::Scope scope(exprs_);
    const auto function = exprs_.EnterFunction(call, definition, span);
    if (!function) return;
    for (const auto& [parameter, value] : function->parameters) {
      Add(to, {Define{parameter, value}, span});
    }
    ReadBody(function->statements, CXCursor_ReturnStmt, to);
    exprs_.LeaveFunction();
  }

  /// What follows `if (c) { ...; return; }` of a function, or `continue;` of a loop, as `exit`
  /// says, is done where c does not hold.
  void ReadBody(const std::vector<CXCursor>& statements, CXCursorKind exit,
                std::vector<StatementId>& to) {
    const BodyWithExit body = FindExit(statements, exit);
    ReadAll(body.before, to);
    if (!body.exit) return;
    const Span span = PlaceOrWhole(body.exit->statement);
    const auto condition = exprs_.Read(body.exit->condition);
    If branches;
    ReadBody(body.exit->then_branch, exit, branches.then_body);
    ReadBody(body.exit->else_branch, exit, branches.else_body);
    if (!condition) return;
    branches.condition = *condition;
    if (branches.then_body.empty()) {
      branches.condition = exprs_.Add({Unary{UnaryOp::Not, *condition}, CType::Bool, span});
      std::swap(branches.then_body, branches.else_body);
    }
    if (!branches.then_body.empty()) Add(to, {std::move(branches), span});
  }

  static Span HeadOf(Span span) { return {span.begin, span.begin + 1}; }  // its first word

  void ReadDeclarations(CXCursor cursor, std::vector<StatementId>& to) {
    for (const CXCursor declaration : ChildrenOf(cursor)) {
      if (clang_getCursorKind(declaration) != CXCursor_VarDecl) continue;
      const Span span = PlaceOrWhole(declaration);
      if (ReadReference(declaration, span) || exprs_.ReadPointerInto(declaration, span)) continue;
      const auto variable = exprs_.Declared(declaration, span);
      const CXCursor initializer = clang_Cursor_getVarDeclInitializer(declaration);
      const bool has_value = clang_Cursor_isNull(initializer) == 0;
      if (!variable) continue;
      const bool kept = clang_Cursor_getStorageClass(declaration) == CX_SC_Static;
      const Variable& declared = region_.variables[*variable];
      if (kept && declared.extents.empty() && !declared.is_constant) {
        sink_.Report(span, kStatement, std::string("a variable that keeps its value"))
            .Hint("declare it before the region, or without `static`");
        continue;
      }
      if (!region_.variables[*variable].data.empty()) {
        sink_.Report(span, kStatement, std::string("a container that is declared inside of it"))
            .Hint("declare it before the region");
        continue;
      }
      if (region_.variables[*variable].is_pointer) {
        if (!has_value) continue;
        ReadPointerAssignment(*variable, initializer, span, to);
        continue;
      }
      if (!region_.variables[*variable].extents.empty()) {
        ReadArray(*variable, declaration, span, to);
        continue;
      }
      std::optional<ExprId> value;
      if (has_value) {
        value = exprs_.Read(initializer);
        if (!value) continue;
        value = exprs_.Kept(*variable, {}, std::nullopt, *value, span);
      }
      Add(to, {Define{*variable, value}, span});
    }
  }

  /// True of a reference to an element or a scalar.
  bool ReadReference(CXCursor declaration, Span span) {
    const CXType type = clang_getCursorType(declaration);
    const CType referred = TypeOf(clang_getPointeeType(type));
    if (!IsReference(type) || referred == CType::Pointer || referred == CType::Other) return false;
    exprs_.ReadReferenceTo(declaration, clang_Cursor_getVarDeclInitializer(declaration), span);
    return true;
  }

  /// An array of the region's own. What a list gives its elements are assignments.
  void ReadArray(VariableId array, CXCursor declaration, Span span, std::vector<StatementId>& to) {
    constexpr std::size_t kMost = 64;
    if (exprs_.OutlivesFunction(array)) {
      sink_.Report(span, kStatement, std::string("an array that keeps its values"))
          .Hint("declare it before the region, or without `static`");
      return;
    }
    region_.variables[array].is_scratch = true;
    const CXCursor initializer = clang_Cursor_getVarDeclInitializer(declaration);
    if (clang_Cursor_isNull(initializer) != 0) return;
    const auto list = ListOf(declaration);
    const ArrayShape shape = ShapeOf(clang_getCursorType(declaration));
    const auto listed = list ? ListedElements(*list, shape.extents, kMost) : std::nullopt;
    if (!listed) {
      sink_.Report(span, kStatement, std::string("these values of an array"))
          .Hint(fmt::format("set its elements one by one; a list may have up to {}", kMost));
      return;
    }
    for (const ListedElement& element : *listed) {
      std::vector<ExprId> subscripts;
      for (const std::int64_t at : element.place) subscripts.push_back(exprs_.Number(at, span));
      const auto value = element.value ? exprs_.Read(*element.value) : exprs_.Number(0, span);
      if (!value) return;
      const CType type = region_.variables[array].type;
      const ExprId target = exprs_.Add({Element{array, std::move(subscripts)}, type, span});
      AddAssignment(target, std::nullopt, *value, span, to);
    }
  }

  void ReadPointerAssignment(VariableId target, CXCursor value, Span span,
                             std::vector<StatementId>& to) {
    if (exprs_.IsInFunction()) return RefuseExchange(span);
    const auto source = exprs_.Named(value);
    if (!source) return;
    exprs_.Exchange(target);
    // It stays only as a part of an exchange, which JoinSwaps makes of several.
    Add(to, {Swap{target, *source}, span});
    moves_.insert(to.back().index);
  }

  void ReadAssignment(CXCursor cursor, Span span, std::vector<StatementId>& to) {
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    const CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    if (parts.size() != 2 || kind < CXBinaryOperator_Assign || kind > CXBinaryOperator_OrAssign) {
      if (kind == CXBinaryOperator_Comma) return ReadAll(parts, to);
      sink_.Report(span, kStatement, std::string("an expression that changes nothing"));
      return;
    }
    if (TypeOf(clang_getCursorType(Unwrap(parts[0]))) == CType::Pointer) {
      const auto target = exprs_.Named(parts[0]);
      if (target) ReadPointerAssignment(*target, parts[1], span, to);
      return;
    }
    const auto target = exprs_.ReadTarget(parts[0]);
    const auto value = ReadAssigned(parts[1], to);
    if (!target || !value) return;
    const bool left = kind == CXBinaryOperator_ShlAssign;
    if (left || kind == CXBinaryOperator_ShrAssign) {
      if (const auto shifted = exprs_.Shifted(*target, *value, left, span)) {
        return AddAssignment(*target, std::nullopt, *shifted, span, to);
      }
    }
    if (kind == CXBinaryOperator_XorAssign) {
      if (const auto flipped = exprs_.FlippedBit(*target, *value, span)) {
        return AddAssignment(*target, std::nullopt, *flipped, span, to);
      }
    }
    const auto update = UpdateOf(cursor);
    if (!update) {
      const std::string symbol = TakeString(clang_getBinaryOperatorKindSpelling(kind));
      sink_.Report(span, kStatement, fmt::format("the operator `{}`", symbol));
      return;
    }
    AddAssignment(*target, *update, *value, span, to);
  }

  /// `u[i] = z;` and `u[i] += z;` of std::complex, which are calls. False where it is another one.
  bool ReadComplexAssignment(CXCursor call, Span span, std::vector<StatementId>& to) {
    const auto update = ComplexUpdate(call);
    if (!update || clang_Cursor_getNumArguments(call) != 2) return false;
    const auto target = exprs_.ReadTarget(clang_Cursor_getArgument(call, 0));
    const auto value = exprs_.Read(clang_Cursor_getArgument(call, 1));
    if (target && value) AddAssignment(*target, *update, *value, span, to);
    return true;
  }

  /// The value of an assignment. That of `a = b = c` is what `b` holds after an assignment before
  /// it.
  std::optional<ExprId> ReadAssigned(CXCursor wrapped, std::vector<StatementId>& to) {
    const CXCursor cursor = Unwrap(wrapped);
    const CXCursorKind kind = clang_getCursorKind(cursor);
    const bool binary = kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator;
    const CXBinaryOperatorKind op =
        binary ? clang_getCursorBinaryOperatorKind(cursor) : CXBinaryOperator_Invalid;
    if (op < CXBinaryOperator_Assign || op > CXBinaryOperator_OrAssign) return exprs_.Read(cursor);
    ReadAssignment(cursor, PlaceOrWhole(cursor), to);
    return exprs_.ReadTarget(ChildrenOf(cursor)[0]);
  }

  void AddAssignment(ExprId target, std::optional<BinaryOp> update, ExprId value, Span span,
                     std::vector<StatementId>& to) {
    if (const auto* use = std::get_if<Use>(&region_.exprs[target].node)) {
      for (const auto& [iterator, place] : iterators_) {
        if (iterator != use->variable) continue;
        sink_.Report(span, kIteratorAssigned, region_.variables[iterator].text)
            .Note(place, "the loop");
        return;
      }
      assigned_.insert(use->variable);
      KeepNarrow(use->variable, target, update, value, span);
    }
    Add(to, {Assign{target, update, value}, span});
  }

  /// Makes `value` what a narrow scalar of the region keeps of all that is assigned. One that
  /// others see has no place in a program, but as a counter.
  void KeepNarrow(VariableId scalar, ExprId target, std::optional<BinaryOp>& update, ExprId& value,
                  Span span) {
    Variable& variable = region_.variables[scalar];
    if (variable.holds == ElementFormat::Plain) return;
    if (!variable.is_local) {
      variable.holds = ElementFormat::Plain;
      variable.type = CType::Integer;
      return;
    }
    value = exprs_.Kept(scalar, target, update, value, span);
    update.reset();
  }

  void ReadIncrement(CXCursor cursor, Span span, std::vector<StatementId>& to) {
    const auto step = IncrementOf(cursor);
    if (!step) {
      sink_.Report(span, kStatement, std::string("an expression that changes nothing"));
      return;
    }
    const auto target = exprs_.ReadTarget(ChildrenOf(cursor)[0]);
    if (!target) return;
    AddAssignment(*target, *step > 0 ? BinaryOp::Add : BinaryOp::Sub, exprs_.Number(1, span), span,
                  to);
  }

  void ReadIf(CXCursor cursor, Span span, std::vector<StatementId>& to) {
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    if (parts.size() < 2 || parts.size() > 3) {
      sink_.Report(HeadOf(span), kStatement, std::string("this form of `if`"));
      return;
    }
    const auto condition = exprs_.Read(parts[0]);
    If statement;
    ReadAll({parts[1]}, statement.then_body);
    if (parts.size() == 3) ReadAll({parts[2]}, statement.else_body);
    if (!condition) return;
    statement.condition = *condition;
    Add(to, {std::move(statement), Cover(HeadOf(span), PlaceOrWhole(parts[0]))});
  }

  void ReadLoop(CXCursor cursor, Span span, std::vector<StatementId>& to) {
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    auto loop = ReadLoopHead(parts, span, region_, exprs_, sink_);
    const Span head =
        parts.size() == 4 ? Cover(HeadOf(span), PlaceOrWhole(parts[2])) : HeadOf(span);
    if (loop) iterators_.emplace_back(loop->iterator, head);
    const ExprReader::Scope scope(exprs_);
    std::vector<StatementId> body;
    if (!parts.empty()) ReadBody(StatementsOf(parts.back()), CXCursor_ContinueStmt, body);
    if (!loop) return;
    iterators_.pop_back();
    loop->body = std::move(body);
    if (!loop->declares) outer_iterators_.insert(loop->iterator);
    Add(to, {*std::move(loop), head});
  }

  bool ReadSwapCall(CXCursor cursor, Span span, std::vector<StatementId>& to) {
    if (TakeString(clang_getCursorSpelling(cursor)) != "swap") return false;
    if (FunctionDefinition(cursor)) return false;  // of one's own
    if (clang_Cursor_getNumArguments(cursor) != 2) return false;
    const CXCursor first = clang_Cursor_getArgument(cursor, 0);
    const CXCursor second = clang_Cursor_getArgument(cursor, 1);
    const CXType type = clang_getCursorType(Unwrap(first));
    if (TypeOf(type) != CType::Pointer && !ContainerOf(type)) return false;
    if (exprs_.IsInFunction()) {
      RefuseExchange(span);
      return true;
    }
    const auto a = exprs_.Named(first);
    const auto b = exprs_.Named(second);
    if (!a || !b) return true;
    for (const VariableId each : {*a, *b}) exprs_.Exchange(each);
    Add(to, {Swap{*a, *b}, span});
    return true;
  }

  void RefuseExchange(Span span) {
    sink_.Report(span, kStatement, std::string("a pointer that a function sets or exchanges"))
        .Hint("exchange pointers in the region itself");
  }

  /// Moves of pointers that exchange them, by way of temporaries, become exchanges of two; others
  /// are refused.
  void JoinSwaps(std::vector<StatementId>& body) {
    std::vector<StatementId> out;
    for (std::size_t k = 0; k < body.size(); ++k) {
      std::vector<Swap> moves;
      const Span first = region_.statements[body[k]].span;
      Span last = first;
      for (; k < body.size() && moves_.count(body[k].index) > 0; ++k) {
        const Statement& statement = region_.statements[body[k]];
        moves.push_back(std::get<Swap>(statement.node));
        last = statement.span;
      }
      const auto swaps = SwapsOf(moves, temporaries_);
      if (!swaps) {
        sink_.Report(first, kStatement, std::string("a pointer that changes"))
            .Hint(
                "pointers may be exchanged at the end of a loop: t = a; a = b; b = t; or t = a; a "
                "= b; b = c; c = t;");
        return;
      }
      for (const Swap& swap : *swaps) {
        out.push_back(region_.statements.Add({swap, Cover(first, last)}));
      }
      if (k < body.size()) out.push_back(body[k]);
    }
    body = std::move(out);
  }

  Region region_;
  Span whole_;
  DiagnosticSink& sink_;
  ExprReader exprs_;
  CopyReader copies_;
  std::vector<std::pair<VariableId, Span>> iterators_;  ///< of the loops around
  std::set<VariableId> outer_iterators_;                ///< declared outside of their loops
  std::set<VariableId> assigned_;
  std::set<std::uint32_t> moves_;     ///< statements that move a pointer
  std::set<VariableId> temporaries_;  ///< pointers that keep another one while it is moved
};

}  // namespace

Region ReadRegion(const std::vector<CXCursor>& statements, CXCursor function, Span whole,
                  Span begin, bool& complete, DiagnosticSink& sink) {
  return RegionReader(function, whole, begin, sink).Run(statements, function, complete);
}

}  // namespace stencilgen::scop
