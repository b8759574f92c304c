#pragma once

#include <optional>

#include "graph/program.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace stencilgen {

/// Reads an `.idsl` program. Syntax errors go to the sink, several a run; what is wrong with the
/// meaning is found when its graph is built.
/// Ensures: empty exactly when an error was reported.
std::optional<graph::Program> ReadProgram(const SourceFile& source, DiagnosticSink& sink);

}  // namespace stencilgen
