#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/count_text.h"
#include "support/diagnostics.h"
#include "support/source_excerpt.h"

namespace stencilgen {
namespace {

struct Style {
  std::string_view begin, end;
};

/// What terminals understand, or nothing.
class Palette {
 public:
  explicit Palette(bool color) : color_(color) {}
  Style error() const { return Pick("\x1b[1;31m"); }
  Style warning() const { return Pick("\x1b[1;35m"); }
  Style note() const { return Pick("\x1b[1;36m"); }
  Style bold() const { return Pick("\x1b[1m"); }
  Style caret() const { return Pick("\x1b[1;32m"); }

 private:
  Style Pick(std::string_view code) const {
    return color_ ? Style{code, "\x1b[0m"} : Style{"", ""};
  }
  bool color_;
};

/// Indices of the diagnostics in the order of their places.
std::vector<std::size_t> Sorted(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::size_t> order(diagnostics.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return diagnostics[a].span.begin < diagnostics[b].span.begin;
  });
  return order;
}

class TextRenderer {
 public:
  TextRenderer(const SourceFile& source, bool color) : source_(source), palette_(color) {}

  void Render(const Diagnostic& diagnostic) {
    const bool is_error = diagnostic.severity == Severity::Error;
    Message(diagnostic.span, is_error ? "error" : "warning",
            is_error ? palette_.error() : palette_.warning(), diagnostic.message, diagnostic.id);
    for (const DiagnosticNote& note : diagnostic.notes) {
      Message(note.span, "note", palette_.note(), note.message, "");
    }
    if (!diagnostic.hint.empty()) {
      const Style style = palette_.note();
      Write("  {}hint:{} {}\n", style.begin, style.end, diagnostic.hint);
    }
  }

  void NotShown(std::size_t count) {
    Write("{} not shown; --max-errors sets the limit\n", CountText(count, "more error"));
  }

  std::string Take() { return std::move(out_); }

 private:
  template <typename... Args>
  void Write(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }

  void Message(Span span, std::string_view kind, Style style, std::string_view message,
               std::string_view id) {
    const LineColumn place = source_.Locate(span.begin);
    const Style bold = palette_.bold();
    Write("{}{}:{}:{}:{} {}{}:{} {}{}{}", bold.begin, source_.name(), place.line, place.column,
          bold.end, style.begin, kind, style.end, bold.begin, message, bold.end);
    if (!id.empty()) Write(" [{}]", id);
    const SourceExcerpt excerpt = Excerpt(source_, span);
    const Style caret = palette_.caret();
    Write("\n{:5} |{}{}\n      | {}{}{}\n", place.line, excerpt.line.empty() ? "" : " ",
          excerpt.line, caret.begin, excerpt.marks, caret.end);
  }

  const SourceFile& source_;
  Palette palette_;
  std::string out_;
};

nlohmann::ordered_json PlaceJson(const SourceFile& source, Span span) {
  const LineColumn begin = source.Locate(span.begin);
  const LineColumn end = source.Locate(std::max(span.begin, span.end));
  return {{"file", source.name()},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

}  // namespace

std::string RenderText(const SourceFile& source, const std::vector<Diagnostic>& diagnostics,
                       std::size_t max_errors, bool color) {
  TextRenderer renderer(source, color);
  std::size_t errors = 0;
  for (const std::size_t index : Sorted(diagnostics)) {
    const Diagnostic& diagnostic = diagnostics[index];
    if (diagnostic.severity == Severity::Error && ++errors > max_errors && max_errors > 0) continue;
    renderer.Render(diagnostic);
  }
  if (max_errors > 0 && errors > max_errors) renderer.NotShown(errors - max_errors);
  return renderer.Take();
}

std::string RenderJson(const SourceFile& source, const std::vector<Diagnostic>& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::size_t index : Sorted(diagnostics)) {
    const Diagnostic& diagnostic = diagnostics[index];
    nlohmann::ordered_json entry = PlaceJson(source, diagnostic.span);
    entry["severity"] = diagnostic.severity == Severity::Error ? "error" : "warning";
    entry["id"] = diagnostic.id;
    entry["message"] = diagnostic.message;
    entry["hint"] = diagnostic.hint;
    entry["notes"] = nlohmann::ordered_json::array();
    for (const DiagnosticNote& note : diagnostic.notes) {
      nlohmann::ordered_json extra = PlaceJson(source, note.span);
      extra["message"] = note.message;
      entry["notes"].push_back(std::move(extra));
    }
    entry["rendered"] = RenderText(source, {diagnostic}, 0, false);
    list.push_back(std::move(entry));
  }
  const nlohmann::ordered_json root = {{"diagnostics", std::move(list)}};
  // Names and messages may hold bytes of the source that are not UTF-8.
  return root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).append("\n");
}

}  // namespace stencilgen
