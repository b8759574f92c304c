#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/files.h"
#include "driver/options.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace stencilgen::driver {

struct EmbedResult {
  std::vector<OutputFile> outputs;
  std::vector<std::string> inputs;        ///< files that were read
  std::string explanation;                ///< notes, and what `--explain` asks for
  std::optional<UsageError> usage_error;  ///< the command line does not fit the file: no outputs
};

/// Replaces each `#pragma dsl` block of the file by a call of the function generated for it, or
/// prints the stage that the options ask for. Where the options name no target, the output's name
/// says it: `app.gen.cpp` is C++. Empty exactly when errors were reported.
std::optional<EmbedResult> EmbedBlocks(const SourceFile& source, const Options& options,
                                       DiagnosticSink& sink);

/// `stencilgen app.cpp`. Returns the exit status.
int EmbedCommand(const Options& options);

}  // namespace stencilgen::driver
