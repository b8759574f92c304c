#pragma once

#include <functional>
#include <vector>

#include "scop/c_region.h"

/// Where a region's statements set and read a scalar.
namespace stencilgen::scop {

/// Bodies that a statement has, and the roots of its other expressions.
struct Parts {
  std::vector<const std::vector<StatementId>*> bodies;
  std::vector<ExprId> exprs;
};
Parts PartsOf(const Region& region, StatementId id);

/// Calls `visit` for every expression of the statements.
void ForEachExpr(const Region& region, const std::vector<StatementId>& body,
                 const std::function<void(ExprId)>& visit);

/// True where the variable, or an element of it, is named below `root`.
bool MentionsIn(const Region& region, ExprId root, VariableId variable);
/// The same of a scalar in statements, also where they set it, but not where they only declare it.
bool MentionsIn(const Region& region, const std::vector<StatementId>& body, VariableId scalar);
bool Mentions(const Region& region, StatementId id, VariableId scalar);

/// True where no execution of the body reads the scalar before it has set it.
bool SetsBeforeReading(const Region& region, const std::vector<StatementId>& body,
                       VariableId scalar);

}  // namespace stencilgen::scop
