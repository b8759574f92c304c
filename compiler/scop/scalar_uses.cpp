#include "scop/scalar_uses.h"

#include <algorithm>

#include "scop/changes.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

/// False where something may read what no statement of this execution has set.
bool ReadsAfterSetting(const Region& region, const std::vector<StatementId>& body,
                       VariableId scalar, bool& set) {
  bool right = true;
  const auto read = [&](ExprId id) { right = right && (set || !MentionsIn(region, id, scalar)); };
  for (const StatementId id : body) {
    Match(
        region.statements[id].node,
        [&](const Assign& n) {
          read(n.value);
          const auto* use = std::get_if<Use>(&region.exprs[n.target].node);
          const bool sets = use != nullptr && use->variable == scalar;
          if (!sets || n.update) read(n.target);
          set = set || sets;
        },
        [&](const Define& n) {
          if (!n.value) return;
          read(*n.value);
          set = set || n.variable == scalar;
        },
        [&](const Loop& n) {
          bool inside = set;  // the loop may make no turn
          right = ReadsAfterSetting(region, n.body, scalar, inside) && right;
        },
        [&](const If& n) {
          read(n.condition);
          bool in_then = set, in_else = set;
          right = ReadsAfterSetting(region, n.then_body, scalar, in_then) && right;
          right = ReadsAfterSetting(region, n.else_body, scalar, in_else) && right;
          set = in_then && in_else;
        },
        [](const Swap&) {});
  }
  return right;
}

}  // namespace

Parts PartsOf(const Region& region, StatementId id) {
  Parts parts;
  Match(
      region.statements[id].node,
      [&](const Assign& n) {
        parts.exprs = {n.target, n.value};
      },
      [&](const Define& n) {
        if (n.value) parts.exprs = {*n.value};
      },
      [&](const Loop& n) {
        parts.exprs = {n.first};
        for (const Bound& bound : n.bounds) parts.exprs.push_back(bound.value);
        parts.bodies = {&n.body};
      },
      [&](const If& n) {
        parts.exprs = {n.condition};
        parts.bodies = {&n.then_body, &n.else_body};
      },
      [](const Swap&) {});
  return parts;
}

void ForEachExpr(const Region& region, const std::vector<StatementId>& body,
                 const std::function<void(ExprId)>& visit) {
  for (const StatementId id : body) {
    const Parts parts = PartsOf(region, id);
    for (const ExprId expr : parts.exprs) ForEachExpr(region, expr, visit);
    for (const auto* inner : parts.bodies) ForEachExpr(region, *inner, visit);
  }
}

bool MentionsIn(const Region& region, ExprId root, VariableId variable) {
  bool found = false;
  ForEachExpr(region, root, [&](ExprId id) {
    const auto* use = std::get_if<Use>(&region.exprs[id].node);
    const auto* element = std::get_if<Element>(&region.exprs[id].node);
    found = found || (use != nullptr && use->variable == variable) ||
            (element != nullptr && element->variable == variable);
  });
  return found;
}

bool MentionsIn(const Region& region, const std::vector<StatementId>& body, VariableId scalar) {
  return std::any_of(body.begin(), body.end(),
                     [&](StatementId id) { return Mentions(region, id, scalar); });
}

bool Mentions(const Region& region, StatementId id, VariableId scalar) {
  const auto* define = std::get_if<Define>(&region.statements[id].node);
  if (define != nullptr && define->value && define->variable == scalar) return true;
  const Parts parts = PartsOf(region, id);
  return std::any_of(parts.exprs.begin(), parts.exprs.end(),
                     [&](ExprId expr) { return MentionsIn(region, expr, scalar); }) ||
         std::any_of(parts.bodies.begin(), parts.bodies.end(),
                     [&](const auto* body) { return MentionsIn(region, *body, scalar); });
}

bool SetsBeforeReading(const Region& region, const std::vector<StatementId>& body,
                       VariableId scalar) {
  bool set = false;
  return ReadsAfterSetting(region, body, scalar, set);
}

}  // namespace stencilgen::scop
