#include "support/diagnostics.h"

#include <algorithm>

namespace stencilgen {

DiagnosticSink::Attach& DiagnosticSink::Attach::Note(Span span, std::string message) {
  if (index_) sink_->diagnostics_[*index_].notes.push_back({span, std::move(message)});
  return *this;
}

DiagnosticSink::Attach& DiagnosticSink::Attach::Hint(std::string hint) {
  if (index_) sink_->diagnostics_[*index_].hint = std::move(hint);
  return *this;
}

bool DiagnosticSink::Attach::HintNearest(std::string_view name,
                                         const std::vector<std::string>& candidates) {
  const std::string near = NearestName(name, candidates);
  if (!near.empty()) Hint(fmt::format("did you mean `{}`?", near));
  return !near.empty();
}

DiagnosticSink::Attach DiagnosticSink::Add(Severity severity, const char* id, Span span,
                                           std::string message) {
  const std::size_t before = diagnostics_.size();
  Add({severity, id, std::move(message), span, {}, {}});
  if (diagnostics_.size() == before) return {this, std::nullopt};
  return {this, before};
}

void DiagnosticSink::Add(Diagnostic diagnostic) {
  std::string key = fmt::format("{}:{}:{}:{}", diagnostic.span.begin, diagnostic.span.end,
                                diagnostic.id, diagnostic.message);
  if (!keys_.insert(std::move(key)).second) return;
  if (diagnostic.severity == Severity::Error) ++error_count_;
  diagnostics_.push_back(std::move(diagnostic));
}

namespace {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestName(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 64;  // keeps the table small for absurd input
  // One letter is as near to any other.
  if (name.size() < 2 || name.size() > kLongestName) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestName || candidate == name) continue;
    const std::size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace stencilgen
