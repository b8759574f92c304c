#pragma once

#include <vector>

#include "scop/c_region.h"

/// Where a region's statements set and read a scalar.
namespace stencilgen::scop {

/// True where the scalar is named below `id`; of a statement also where it sets the scalar, but not
/// where it only declares it.
bool MentionsIn(const Region& region, ExprId id, VariableId scalar);
bool MentionsIn(const Region& region, const std::vector<StatementId>& body, VariableId scalar);
bool Mentions(const Region& region, StatementId id, VariableId scalar);

/// True where no execution of the body reads the scalar before it has set it.
bool SetsBeforeReading(const Region& region, const std::vector<StatementId>& body,
                       VariableId scalar);

}  // namespace stencilgen::scop
