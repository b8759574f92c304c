#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "ast/ast.h"
#include "graph/graph.h"

namespace stencilgen::sema {

/// `sum`, `min`, `max`, `norm2`, `any` and `all` of an expression over a domain.
struct ReductionName {
  graph::ReduceOp op = graph::ReduceOp::Sum;
  bool norm = false;  ///< the root of the sum of squares
};

/// The reduction of that name; `min` and `max` are functions where they have several arguments.
std::optional<ReductionName> FindReduction(std::string_view name, std::size_t arguments);

/// The scalars of the program that some call may assign a reduction to, or a value that depends on
/// one. They are computed where arrays are, and so are arrays of one element in the graph.
std::set<std::string> ReducedScalars(const ast::Program& program);

}  // namespace stencilgen::sema
