#pragma once

#include <functional>
#include <map>
#include <set>

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Variables that a region changes, and integers that stand for what they are defined as, as long
/// as nothing changes what that is made of.
struct Changes {
  std::set<VariableId> assigned;
  std::map<VariableId, ExprId> inlined;
};
Changes FindChanges(const Region& region);

/// Arrays of which some statement sets an element.
std::set<VariableId> WrittenArrays(const Region& region);

/// Calls `visit` for every expression below `id`, and for itself.
void ForEachExpr(const Region& region, ExprId id, const std::function<void(ExprId)>& visit);

/// Puts what `replace` gives for each operand and subscript of the expression in its place.
void ReplaceOperands(Expr& expr, const std::function<ExprId(ExprId)>& replace);

}  // namespace stencilgen::scop
