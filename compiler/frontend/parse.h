#pragma once

#include <optional>

#include "ast/ast.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace stencilgen {

/// Parses `.idsl` text. Syntax errors go to the sink, several a run; the parser never throws.
/// Ensures: empty exactly when an error was reported; expression trees are at most
/// kMaxExpressionDepth deep and brackets nest at most kMaxBracketDepth.
std::optional<ast::Program> Parse(const SourceFile& source, DiagnosticSink& sink);

inline constexpr int kMaxExpressionDepth = 4000;
inline constexpr int kMaxBracketDepth = 256;

}  // namespace stencilgen
