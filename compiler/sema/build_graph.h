#pragma once

#include <optional>

#include "ast/ast.h"
#include "graph/graph.h"
#include "graph/program.h"
#include "support/diagnostics.h"

namespace stencilgen {

/// Checks the program against grammar/README.md and builds its graph. Errors and
/// warnings go to the sink, as many as there are.
/// Ensures: empty exactly when an error was reported; the graph passes graph::Verify.
std::optional<graph::Graph> BuildGraph(const ast::Program& program,
                                       const graph::GraphOptions& options, DiagnosticSink& sink);

}  // namespace stencilgen
