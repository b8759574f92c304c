#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/source.h"

namespace stencilgen {

enum class Severity { Error, Warning };

/// A kind of message, declared once beside its use: a stable kebab-case id, its severity, and a
/// format string checked at compile time against `Args`. Voice: lower case, one sentence, no
/// final stop.
template <typename... Args>
struct DiagnosticKind {
  const char* id;
  Severity severity;
  fmt::format_string<Args...> text;
};

struct DiagnosticNote {
  Span span;
  std::string message;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string id;
  std::string message;
  Span span;
  std::vector<DiagnosticNote> notes;
  std::string hint;  ///< empty where there is none
};

/// Collects what the user must hear. Reporting the same id and message at the same place again
/// is ignored, so a stencil checked once a call speaks once.
class DiagnosticSink {
 public:
  /// Attaches notes and a hint to the diagnostic just reported.
  class Attach {
   public:
    Attach& Note(Span span, std::string message);
    Attach& Hint(std::string hint);
    /// Hints at the candidate nearest to `name`, where one is near. True where one was.
    bool HintNearest(std::string_view name, const std::vector<std::string>& candidates);

   private:
    friend class DiagnosticSink;
    Attach(DiagnosticSink* sink, std::optional<std::size_t> index) : sink_(sink), index_(index) {}
    DiagnosticSink* sink_;
    std::optional<std::size_t> index_;
  };

  template <typename... Args, typename... Given>
  Attach Report(Span span, const DiagnosticKind<Args...>& kind, Given&&... args) {
    return Add(kind.severity, kind.id, span,
               fmt::vformat(fmt::string_view(kind.text), fmt::make_format_args(args...)));
  }

  /// Takes over a diagnostic of another sink.
  void Add(Diagnostic diagnostic);

  bool HasErrors() const { return error_count_ > 0; }
  std::size_t ErrorCount() const { return error_count_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  Attach Add(Severity severity, const char* id, Span span, std::string message);

  std::vector<Diagnostic> diagnostics_;
  std::set<std::string> keys_;  // what has been said already
  std::size_t error_count_ = 0;
};

/// "did you mean" candidates: the name nearest to `name` by edit distance, empty where none is
/// near enough (at most a third of its length, at least 1).
std::string NearestName(std::string_view name, const std::vector<std::string>& candidates);

/// `file:line:column: error: message [id]`, the line, a caret, notes and hint, in source order.
/// At most `max_errors` errors are shown (0 for no limit), and a line says how many were not.
std::string RenderText(const SourceFile& source, const std::vector<Diagnostic>& diagnostics,
                       std::size_t max_errors, bool color);

/// One JSON object: {"diagnostics":[{file,line,column,end_line,end_column,severity,id,message,
/// hint,notes:[...],rendered}]}; `rendered` is RenderText's. Lines and columns count from 1.
std::string RenderJson(const SourceFile& source, const std::vector<Diagnostic>& diagnostics);

}  // namespace stencilgen
