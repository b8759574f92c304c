#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/options.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace stencilgen::driver {

inline constexpr int kExitDone = 0;
inline constexpr int kExitProgramError = 1;
inline constexpr int kExitUsage = 2;

/// `stencilgen: error: ...` and `hint: ...` on standard error.
void PrintError(std::string_view message, std::string_view hint = "");
/// `stencilgen: note: ...`, a line each.
std::string NotesText(const std::vector<std::string>& notes);
/// Says what is wrong with the command line. Returns kExitUsage.
int ReportUsage(const UsageError& error);
/// The diagnostics on standard error, as text or JSON.
void PrintDiagnostics(const SourceFile& source, const DiagnosticSink& sink, const Options& options);

}  // namespace stencilgen::driver
