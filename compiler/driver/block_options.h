#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/options.h"
#include "frontend/embedded_blocks.h"
#include "support/diagnostics.h"

namespace stencilgen::driver {

/// The options for the program of a block: its arguments, except where the command line says
/// otherwise. Arguments are checked as options are, and reported at their place.
/// Empty exactly when an error was reported.
std::optional<Options> OptionsOfBlock(const Options& command_line, const EmbeddedBlock& block,
                                      const graph::ProgramInterface& program, DiagnosticSink& sink);

/// Checks what does not need the program: whether the arguments' names are known.
void CheckArgumentNames(const EmbeddedBlock& block, DiagnosticSink& sink);

}  // namespace stencilgen::driver
