#pragma once

#include <set>

#include <clang-c/Index.h>

#include "scop/read_expr.h"

namespace stencilgen::scop {

/// Scalars that a region changes.
struct ChangedScalars {
  const std::set<VariableId>& counters;  ///< declared outside of their loops
  const std::set<VariableId>& assigned;
};

/// Notes in the region's variables what of them is needed outside: who reads what it leaves in a
/// scalar, behind it or in the next turn of a loop around it; arrays that nothing else uses. What
/// reads a counter is refused.
void FindUsesOutside(Region& region, CXCursor function, const ExprReader& exprs,
                     const ChangedScalars& changed, DiagnosticSink& sink);

}  // namespace stencilgen::scop
