#include "codegen/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace stencilgen::codegen {
namespace {

bool IsSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Appends one character unless it would complete something that compilers warn about.
void AppendHarmless(std::string& out, char c) {
  const char last = out.empty() ? ' ' : out.back();
  if (c < ' ' || c > '~') c = '.';
  if (c == '\\') c = '/';
  if ((c == '?' && last == '?') || (last == '/' && (c == '*' || c == '/')) ||
      (last == '*' && c == '/')) {
    out.push_back(' ');
  }
  out.push_back(c);
}

}  // namespace

std::string CommentText(std::string_view text, std::size_t limit) {
  std::string out;
  bool pending_space = false;
  for (const char c : text) {
    if (IsSpace(c)) {
      pending_space = !out.empty();
      continue;
    }
    if (out.size() >= limit) return out.append(" ...");
    if (pending_space) out.push_back(' ');
    pending_space = false;
    AppendHarmless(out, c);
  }
  return out;
}

std::string SourceComment(const CodegenOptions& options, Span span) {
  if (options.source == nullptr || span.end <= span.begin ||
      span.end > options.source->text().size()) {
    return "";
  }
  const std::string_view text =
      std::string_view(options.source->text()).substr(span.begin, span.end - span.begin);
  return fmt::format("line {}: {}", options.source->Locate(span.begin).line, CommentText(text));
}

std::string StencilComment(const CodegenOptions& options, const graph::Operator& op) {
  const std::string comment = SourceComment(options, op.span);
  return fmt::format("{}{}{}", op.stencil, comment.empty() ? "" : ", ", comment);
}

}  // namespace stencilgen::codegen
