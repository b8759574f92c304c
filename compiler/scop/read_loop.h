#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scop/read_expr.h"

namespace stencilgen::scop {

/// The head of a `for`, given its parts, the body among them. Reports forms other than those of
/// c_region.h. Empty exactly when an error was reported.
std::optional<Loop> ReadLoopHead(const std::vector<CXCursor>& parts, Span span,
                                 const Region& region, ExprReader& exprs, DiagnosticSink& sink);

/// `i++`, `i--`: 1 or -1.
std::optional<std::int64_t> IncrementOf(CXCursor cursor);

}  // namespace stencilgen::scop
