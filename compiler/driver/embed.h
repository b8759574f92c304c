#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/compile.h"
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

/// A block or region that is ready to be planned.
struct LoadedBlock {
  std::string place;  ///< `app.c:12`
  std::string notes;  ///< a line each
  Options options;
  LoadedProgram loaded;
};

struct LoadedBlocks {
  std::vector<LoadedBlock> blocks;
  std::optional<UsageError> usage_error;  ///< the command line does not fit the file: no blocks
};

/// The blocks and regions of the file with the options of each, for `explain`. Empty exactly when
/// errors were reported.
std::optional<LoadedBlocks> LoadBlocks(const SourceFile& source, const Options& options,
                                       DiagnosticSink& sink);

/// `stencilgen app.cpp`. Returns the exit status.
int EmbedCommand(const Options& options);

}  // namespace stencilgen::driver
