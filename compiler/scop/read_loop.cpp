#include "scop/read_loop.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "scop/cursor.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kLoopForm{"c-loop", Severity::Error, "{}"};

class LoopReader {
 public:
  LoopReader(Span span, const Region& region, ExprReader& exprs, DiagnosticSink& sink)
      : whole_(span), region_(region), exprs_(exprs), sink_(sink) {}

  std::optional<Loop> Read(const std::vector<CXCursor>& parts) {
    const Span word{whole_.begin, whole_.begin + 1};
    if (parts.size() != 4) {
      LoopError(word, "this loop lacks a first value, a bound or a step",
                "write it as `for (int i = 0; i < n; i++)`");
      return std::nullopt;
    }
    Loop loop;
    const Span head = Cover(word, PlaceOrWhole(parts[2]));
    if (!ReadFirst(parts[0], loop) || !ReadBound(parts[1], loop)) return std::nullopt;
    if (!ReadStep(parts[2], loop) || !CheckDirection(loop, head)) return std::nullopt;
    return loop;
  }

 private:
  Span PlaceOrWhole(CXCursor cursor) const { return PlaceOf(cursor).value_or(whole_); }

  void LoopError(Span span, const std::string& text, const std::string& hint) {
    sink_.Report(span, kLoopForm, text).Hint(hint);
  }

  bool ReadFirst(CXCursor wrapped, Loop& loop) {
    const CXCursor cursor = Unwrap(wrapped);
    const Span span = PlaceOrWhole(cursor);
    std::optional<VariableId> iterator;
    std::optional<ExprId> first;
    if (clang_getCursorKind(cursor) == CXCursor_DeclStmt) {
      const std::vector<CXCursor> declared = ChildrenOf(cursor);
      if (declared.size() != 1) {
        LoopError(span, "this loop declares more than its counter", "declare the others before it");
        return false;
      }
      iterator = exprs_.Declared(declared[0], span);
      const CXCursor value = clang_Cursor_getVarDeclInitializer(declared[0]);
      if (clang_Cursor_isNull(value) == 0) first = exprs_.Read(value);
      loop.declares = true;
    } else if (clang_getCursorKind(cursor) == CXCursor_BinaryOperator &&
               clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign) {
      iterator = exprs_.Named(ChildrenOf(cursor)[0]);
      first = exprs_.Read(ChildrenOf(cursor)[1]);
    } else {
      LoopError(span, "a loop begins by giving its counter a value",
                "write it as `for (int i = 0; i < n; i++)`");
      return false;
    }
    if (!iterator || !first) return false;
    const Variable& variable = region_.variables[*iterator];
    if (!IsInteger(variable.type) || !variable.extents.empty()) {
      LoopError(span, fmt::format("`{}` counts a loop, but is no integer", variable.text),
                "count with an `int`");
      return false;
    }
    loop.iterator = *iterator;
    loop.first = *first;
    return true;
  }

  bool Names(CXCursor cursor, VariableId variable) const { return exprs_.Is(cursor, variable); }

  /// A side of a comparison: `i`, or `i + 1`, `1 + i`, `i - 1`.
  struct CounterSide {
    BinaryOp undo = BinaryOp::Sub;    ///< what the other side gets in the place of the sum
    std::optional<CXCursor> summand;  ///< empty: the counter alone
  };
  std::optional<CounterSide> CounterSideOf(CXCursor wrapped, VariableId counter) const {
    if (Names(wrapped, counter)) return CounterSide{};
    const CXCursor cursor = Unwrap(wrapped);
    if (clang_getCursorKind(cursor) != CXCursor_BinaryOperator) return std::nullopt;
    const std::vector<CXCursor> sides = ChildrenOf(cursor);
    const CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    if (kind == CXBinaryOperator_Add && Names(sides[0], counter)) {
      return CounterSide{BinaryOp::Sub, sides[1]};
    }
    if (kind == CXBinaryOperator_Add && Names(sides[1], counter)) {
      return CounterSide{BinaryOp::Sub, sides[0]};
    }
    if (kind == CXBinaryOperator_Sub && Names(sides[0], counter)) {
      return CounterSide{BinaryOp::Add, sides[1]};
    }
    return std::nullopt;
  }

  bool ReadBound(CXCursor wrapped, Loop& loop) {
    const CXCursor cursor = Unwrap(wrapped);
    const Span span = PlaceOrWhole(cursor);
    const auto refuse = [&] {
      LoopError(span, "the condition of this loop does not compare its counter with a bound",
                "write it as `for (int i = 0; i < n; i++)`");
      return false;
    };
    if (clang_getCursorKind(cursor) != CXCursor_BinaryOperator) return refuse();
    const std::vector<CXCursor> sides = ChildrenOf(cursor);
    const CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    if (kind == CXBinaryOperator_LAnd)
      return ReadBound(sides[0], loop) && ReadBound(sides[1], loop);
    auto side = CounterSideOf(sides[0], loop.iterator);
    const bool swapped = !side;
    if (swapped) side = CounterSideOf(sides[1], loop.iterator);
    if (!side) return refuse();
    Bound bound;
    switch (kind) {
      case CXBinaryOperator_LT:
        bound.comparison = swapped ? BinaryOp::Greater : BinaryOp::Less;
        break;
      case CXBinaryOperator_LE:
        bound.comparison = swapped ? BinaryOp::GreaterEqual : BinaryOp::LessEqual;
        break;
      case CXBinaryOperator_GT:
        bound.comparison = swapped ? BinaryOp::Less : BinaryOp::Greater;
        break;
      case CXBinaryOperator_GE:
        bound.comparison = swapped ? BinaryOp::LessEqual : BinaryOp::GreaterEqual;
        break;
      case CXBinaryOperator_NE:
        bound.comparison = BinaryOp::NotEqual;
        break;
      default:
        return refuse();
    }
    auto value = exprs_.Read(sides[swapped ? 0 : 1]);
    if (value && side->summand) {
      const auto summand = exprs_.Read(*side->summand);
      if (!summand) return false;
      const Expr of = region_.exprs[*value];
      value = exprs_.Add({Binary{side->undo, *value, *summand}, of.type, of.span});
    }
    if (!value) return false;
    bound.value = *value;
    loop.bounds.push_back(bound);
    return true;
  }

  /// `i++`, `i += 2`, `i = i + 2`
  bool ReadStep(CXCursor wrapped, Loop& loop) {
    const CXCursor cursor = Unwrap(wrapped);
    const CXCursorKind kind = clang_getCursorKind(cursor);
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    std::optional<std::int64_t> step;
    if (kind == CXCursor_UnaryOperator && Names(parts[0], loop.iterator)) {
      step = IncrementOf(cursor);
    } else if (kind == CXCursor_CompoundAssignOperator && Names(parts[0], loop.iterator)) {
      const CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
      const auto value = IntegerValue(Unwrap(parts[1]));
      if (value && op == CXBinaryOperator_AddAssign) step = *value;
      if (value && op == CXBinaryOperator_SubAssign) step = -*value;
    } else if (kind == CXCursor_BinaryOperator && Names(parts[0], loop.iterator)) {
      const CXCursor sum = Unwrap(parts[1]);
      const CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(sum);
      const std::vector<CXCursor> terms = ChildrenOf(sum);
      const auto value = terms.size() == 2 ? IntegerValue(Unwrap(terms[1])) : std::nullopt;
      if (value && Names(terms[0], loop.iterator)) {
        if (op == CXBinaryOperator_Add) step = *value;
        if (op == CXBinaryOperator_Sub) step = -*value;
      }
    }
    if (step && *step != 0) {
      loop.step = *step;
      return true;
    }
    LoopError(PlaceOrWhole(cursor), "the step of this loop is no constant",
              "loops count by a constant: i++, i--, i += 2");
    return false;
  }

  bool CheckDirection(const Loop& loop, Span head) {
    for (const Bound& bound : loop.bounds) {
      const bool up = bound.comparison == BinaryOp::Less || bound.comparison == BinaryOp::LessEqual;
      const bool either = bound.comparison == BinaryOp::NotEqual;
      if (either ? loop.step == 1 || loop.step == -1 : up == (loop.step > 0)) continue;
      LoopError(head,
                either ? "a loop that ends by `!=` counts by one"
                       : "this loop counts away from its bound",
                "write it as `for (int i = 0; i < n; i++)`");
      return false;
    }
    return true;
  }

  Span whole_;
  const Region& region_;
  ExprReader& exprs_;
  DiagnosticSink& sink_;
};

}  // namespace

std::optional<Loop> ReadLoopHead(const std::vector<CXCursor>& parts, Span span,
                                 const Region& region, ExprReader& exprs, DiagnosticSink& sink) {
  return LoopReader(span, region, exprs, sink).Read(parts);
}

std::optional<std::int64_t> IncrementOf(CXCursor cursor) {
  switch (clang_getCursorUnaryOperatorKind(cursor)) {
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PostInc:
      return 1;
    case CXUnaryOperator_PreDec:
    case CXUnaryOperator_PostDec:
      return -1;
    default:
      return std::nullopt;
  }
}

}  // namespace stencilgen::scop
