#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ast/ast.h"
#include "graph/graph.h"
#include "support/diagnostics.h"

namespace stencilgen {

struct SemaOptions {
  std::string program_name = "program";       ///< becomes Graph::name
  std::map<std::string, std::int64_t> fixed;  ///< `-D NAME=VALUE`; names must be parameters
};

/// Checks the program against language.md sections 1 to 5 and builds its graph. Errors and
/// warnings go to the sink, as many as there are.
/// Ensures: empty exactly when an error was reported; the graph passes graph::Verify.
std::optional<graph::Graph> BuildGraph(const ast::Program& program, const SemaOptions& options,
                                       DiagnosticSink& sink);

}  // namespace stencilgen
