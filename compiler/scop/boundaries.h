#pragma once

#include <cstddef>
#include <optional>

#include <isl/cpp.h>

#include "ast/ast.h"
#include "scop/linear.h"
#include "scop/model.h"

namespace stencilgen::scop {

/// A subscript that goes past the edges by a rule: `(i + 1) % n`, `i > 0 ? i - 1 : 0`.
struct EdgeSubscript {
  Linear inner;  ///< what it is away from the edges
  ast::BoundaryKind kind = ast::BoundaryKind::Clamp;
};

/// Finds the rule of one dimension of what a map gives, whose extent is known; empty where it
/// follows none.
std::optional<EdgeSubscript> FindEdgeSubscript(const Model& model, const isl::map& map,
                                               std::size_t d, const Linear& extent);

/// The dimension that the subscript was found for, with a case for each edge in the place of a
/// remainder.
isl::map WithoutDivisions(const Model& model, const isl::map& map, const EdgeSubscript& subscript,
                          const Linear& extent);

}  // namespace stencilgen::scop
