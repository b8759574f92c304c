#include "scop/uses_outside.h"

#include <vector>

#include "scop/changes.h"
#include "scop/cursor.h"
#include "scop/scalar_uses.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kValueAfter{
    "c-value-after", Severity::Error, "the region leaves a value in `{}` that is used after it"};

bool IsLoop(CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
         kind == CXCursor_CXXForRangeStmt;
}

bool Encloses(Span outer, Span inner) {
  return outer.begin <= inner.begin && outer.end >= inner.end;
}

class UseFinder {
 public:
  UseFinder(Span region, const ExprReader& exprs, VariableId variable)
      : region_(region), exprs_(exprs), variable_(variable) {}

  /// The first mention behind the region.
  std::optional<Span> Behind(CXCursor cursor) const {
    for (const CXCursor child : ChildrenOf(cursor)) {
      const auto place = PlaceOf(child);
      if (!place || place->end <= region_.end) continue;
      if (place->begin >= region_.end && CountsAnew(child)) continue;
      if (place->begin >= region_.end && exprs_.Is(child, variable_)) return place;
      if (const auto found = Behind(child)) return found;
    }
    return std::nullopt;
  }

  /// A mention before the region, or the first in it, of what a turn of a loop around both has
  /// left. `first`: where the region reads the variable before it sets it; a lambda around the
  /// region may be called again and again, and who knows where a `goto` leads.
  std::optional<Span> InNextTurn(CXCursor cursor, std::optional<Span> first) const {
    if (HasLabel(cursor)) return first ? first : Anywhere(cursor);
    return AroundRegion(cursor, first);
  }

  std::optional<Span> Anywhere(CXCursor cursor) const {
    for (const CXCursor child : ChildrenOf(cursor)) {
      const auto place = PlaceOf(child);
      if (place && Encloses(region_, *place)) continue;
      if (exprs_.Is(child, variable_)) return place ? place : region_;
      if (const auto found = Anywhere(child)) return found;
    }
    return std::nullopt;
  }

 private:
  /// `for (i = 0; ...)`, which does not read what was in `i`.
  bool CountsAnew(CXCursor cursor) const {
    if (clang_getCursorKind(cursor) != CXCursor_ForStmt) return false;
    const std::vector<CXCursor> parts = ChildrenOf(cursor);
    return !parts.empty() && Sets(parts[0]);
  }
  /// `x = value`, where the value does not need `x`.
  bool Sets(CXCursor wrapped) const {
    const CXCursor cursor = Unwrap(wrapped);
    if (clang_getCursorKind(cursor) != CXCursor_BinaryOperator ||
        clang_getCursorBinaryOperatorKind(cursor) != CXBinaryOperator_Assign) {
      return false;
    }
    const std::vector<CXCursor> sides = ChildrenOf(cursor);
    return sides.size() == 2 && exprs_.Is(sides[0], variable_) && !exprs_.Is(sides[1], variable_) &&
           !Anywhere(sides[1]);
  }
  static bool HasLabel(CXCursor cursor) {
    return AnyBelow(cursor,
                    [](CXCursor each) { return clang_getCursorKind(each) == CXCursor_LabelStmt; });
  }
  std::optional<Span> AroundRegion(CXCursor cursor, std::optional<Span> first) const {
    for (const CXCursor child : ChildrenOf(cursor)) {
      const auto place = PlaceOf(child);
      if (!place || !Encloses(*place, region_)) continue;
      if (!IsDeclaredIn(child)) {
        std::optional<Span> found;
        if (clang_getCursorKind(child) == CXCursor_LambdaExpr) return *place;
        if (IsLoop(child) && !DecidesBefore(child, found) && first) return first;
        if (found) return found;
      }
      return AroundRegion(child, first);
    }
    return std::nullopt;
  }
  bool IsDeclaredIn(CXCursor cursor) const {
    return AnyBelow(cursor, [&](CXCursor each) { return exprs_.Declares(each, variable_); });
  }
  /// True where something in a turn of the loop, before the region, sets the variable or reads it:
  /// then `found` is the place.
  bool DecidesBefore(CXCursor loop, std::optional<Span>& found) const {
    std::vector<CXCursor> parts = ChildrenOf(loop);
    // What a loop begins with is done once. Where a part is missing, who knows which.
    if (clang_getCursorKind(loop) == CXCursor_ForStmt && parts.size() == 4)
      parts.erase(parts.begin());
    for (const CXCursor part : parts) {
      const auto place = PlaceOf(part);
      if (place && Encloses(*place, region_)) return DecidesOnTheWay(part, found);
      found = exprs_.Is(part, variable_) ? place : Anywhere(part);
      if (found) return true;
    }
    return false;
  }
  bool DecidesOnTheWay(CXCursor cursor, std::optional<Span>& found) const {
    for (const CXCursor child : ChildrenOf(cursor)) {
      const auto place = PlaceOf(child);
      if (!place || place->begin >= region_.end || Encloses(region_, *place)) continue;
      if (Encloses(*place, region_)) {
        return IsLoop(child) ? DecidesBefore(child, found) : DecidesOnTheWay(child, found);
      }
      if (Sets(child) || CountsAnew(child)) return true;
      found = exprs_.Is(child, variable_) ? place : Anywhere(child);
      if (found) return true;
    }
    return false;
  }

  Span region_;
  const ExprReader& exprs_;
  VariableId variable_;
};

/// Arrays of the function that nobody uses but the region, which writes them.
void FindPrivateArrays(Region& region, CXCursor function, const ExprReader& exprs) {
  for (const VariableId id : WrittenArrays(region)) {
    Variable& variable = region.variables[id];
    if (variable.is_local || variable.is_pointer || exprs.OutlivesFunction(id)) continue;
    variable.is_private = !UseFinder(region.whole, exprs, id).Anywhere(function);
  }
}

}  // namespace

void FindUsesOutside(Region& region, CXCursor function, const ExprReader& exprs,
                     const ChangedScalars& changed, DiagnosticSink& sink) {
  for (const VariableId id : region.variables.Ids()) {
    Variable& variable = region.variables[id];
    const bool counts = changed.counters.count(id) > 0;
    if (variable.is_local || (!counts && changed.assigned.count(id) == 0)) continue;
    const UseFinder finder(region.whole, exprs, id);
    std::optional<Span> use;
    if (exprs.OutlivesFunction(id)) use = variable.used;
    if (!use) use = finder.Behind(function);
    if (!use) {
      const bool reads = !SetsBeforeReading(region, region.body, id);
      use = finder.InNextTurn(function, reads ? std::optional(variable.used) : std::nullopt);
    }
    if (!use) continue;
    if (!counts) {
      variable.used_after = use;
      continue;
    }
    sink.Report(*use, kValueAfter, variable.text)
        .Note(region.begin, "the region")
        .Hint("declare counters in their loops: for (int i = 0; i < n; i++)");
  }
  FindPrivateArrays(region, function, exprs);
}

}  // namespace stencilgen::scop
