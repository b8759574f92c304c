#include "driver/report.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace stencilgen::driver {

namespace {

bool UseColor(ColorMode mode) {
  if (mode != ColorMode::Auto) return mode == ColorMode::Always;
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace

void PrintError(std::string_view message, std::string_view hint) {
  fmt::print(stderr, "stencilgen: error: {}\n", message);
  if (!hint.empty()) fmt::print(stderr, "hint: {}\n", hint);
}

std::string NotesText(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += fmt::format("stencilgen: note: {}\n", note);
  return text;
}

int ReportUsage(const UsageError& error) {
  fmt::print(stderr, "stencilgen: error: {}\n{}", error.message, error.excerpt);
  if (!error.hint.empty()) fmt::print(stderr, "hint: {}\n", error.hint);
  return kExitUsage;
}

void PrintDiagnostics(const SourceFile& source, const DiagnosticSink& sink,
                      const Options& options) {
  if (options.json_diagnostics) {
    std::string text = RenderJson(source, sink.diagnostics());
    if (text.empty() || text.back() != '\n') text += '\n';
    fmt::print(stderr, "{}", text);
    return;
  }
  if (sink.diagnostics().empty()) return;
  fmt::print(stderr, "{}",
             RenderText(source, sink.diagnostics(), options.max_errors, UseColor(options.color)));
}

}  // namespace stencilgen::driver
