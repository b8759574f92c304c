#pragma once

#include <string>

#include "graph/graph.h"
#include "lower/options.h"

namespace stencilgen::lower {

/// `line 12: B[j][i] = ...` for the statement at `span`; empty without source text.
std::string SourceComment(const Options& options, Span span);

/// `j2d5pt, line 12: B[j][i] = ...`: the operator's stencil and statement.
std::string StencilComment(const Options& options, const graph::Operator& op);

}  // namespace stencilgen::lower
