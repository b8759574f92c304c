#pragma once

#include <string_view>

#include "driver/options.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace stencilgen::driver {

inline constexpr int kExitDone = 0;
inline constexpr int kExitProgramError = 1;
inline constexpr int kExitUsage = 2;

/// `stencilgen: error: ...` and `hint: ...` on standard error.
void PrintError(std::string_view message, std::string_view hint = "");
/// Says what is wrong with the command line. Returns kExitUsage.
int ReportUsage(const UsageError& error);
/// The diagnostics on standard error, as text or JSON.
void PrintDiagnostics(const SourceFile& source, const DiagnosticSink& sink, const Options& options);

}  // namespace stencilgen::driver
