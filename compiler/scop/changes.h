#pragma once

#include <functional>
#include <map>
#include <set>

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Variables that a region changes, and integers that stand for what they are defined as.
struct Changes {
  std::set<VariableId> assigned;
  std::map<VariableId, ExprId> inlined;
};
Changes FindChanges(const Region& region);

/// Calls `visit` for every expression below `id`, and for itself.
void ForEachExpr(const Region& region, ExprId id, const std::function<void(ExprId)>& visit);

}  // namespace stencilgen::scop
