#include "scop/changes.h"

#include <iterator>

#include "support/match.h"

namespace stencilgen::scop {

void ForEachExpr(const Region& region, ExprId id, const std::function<void(ExprId)>& visit) {
  visit(id);
  const auto all = [&](const std::vector<ExprId>& ids) {
    for (const ExprId part : ids) ForEachExpr(region, part, visit);
  };
  Match(
      region.exprs[id].node, [](const Integer&) {}, [](const Floating&) {}, [](const Use&) {},
      [&](const Element& n) { all(n.subscripts); }, [&](const Unary& n) { all({n.operand}); },
      [&](const Binary& n) {
        all({n.lhs, n.rhs});
      },
      [&](const Conditional& n) {
        all({n.condition, n.then_value, n.else_value});
      },
      [&](const Call& n) { all(n.arguments); }, [&](const Cast& n) { all({n.operand}); });
}

void ReplaceOperands(Expr& expr, const std::function<ExprId(ExprId)>& replace) {
  const auto all = [&](std::vector<ExprId>& parts) {
    for (ExprId& part : parts) part = replace(part);
  };
  Match(
      expr.node, [](Integer&) {}, [](Floating&) {}, [](Use&) {},
      [&](Element& n) { all(n.subscripts); }, [&](Unary& n) { n.operand = replace(n.operand); },
      [&](Binary& n) {
        n.lhs = replace(n.lhs);
        n.rhs = replace(n.rhs);
      },
      [&](Conditional& n) {
        n.condition = replace(n.condition);
        n.then_value = replace(n.then_value);
        n.else_value = replace(n.else_value);
      },
      [&](Call& n) { all(n.arguments); }, [&](Cast& n) { n.operand = replace(n.operand); });
}

Changes FindChanges(const Region& region) {
  Changes changes;
  std::set<VariableId> updated, defined;
  for (const Statement& statement : region.statements) {
    Match(
        statement.node,
        [&](const Assign& n) {
          if (const auto* use = std::get_if<Use>(&region.exprs[n.target].node)) {
            updated.insert(use->variable);
          }
        },
        [&](const Define& n) {
          changes.assigned.insert(n.variable);
          if (!defined.insert(n.variable).second) updated.insert(n.variable);
          if (!n.value || !IsInteger(region.variables[n.variable].type)) return;
          // Others are rounded, or become 1.
          const CType type = region.exprs[*n.value].type;
          bool simple = IsInteger(type) &&
                        (region.variables[n.variable].type != CType::Bool || type == CType::Bool);
          ForEachExpr(region, *n.value, [&](ExprId id) {
            const auto& node = region.exprs[id].node;
            if (std::holds_alternative<Element>(node) || std::holds_alternative<Cast>(node)) {
              simple = false;
            }
          });
          if (simple) changes.inlined[n.variable] = *n.value;
        },
        [&](const Loop& n) { changes.assigned.insert(n.iterator); }, [](const auto&) {});
  }
  for (auto at = changes.inlined.begin(); at != changes.inlined.end();) {
    bool lasts = updated.count(at->first) == 0;
    ForEachExpr(region, at->second, [&](ExprId id) {
      const auto* use = std::get_if<Use>(&region.exprs[id].node);
      lasts = lasts && (use == nullptr || updated.count(use->variable) == 0);
    });
    at = lasts ? std::next(at) : changes.inlined.erase(at);
  }
  changes.assigned.insert(updated.begin(), updated.end());
  return changes;
}

std::set<VariableId> WrittenArrays(const Region& region) {
  std::set<VariableId> written;
  for (const Statement& statement : region.statements) {
    const auto* assign = std::get_if<Assign>(&statement.node);
    const auto* element =
        assign == nullptr ? nullptr : std::get_if<Element>(&region.exprs[assign->target].node);
    if (element != nullptr) written.insert(element->variable);
  }
  return written;
}

}  // namespace stencilgen::scop
