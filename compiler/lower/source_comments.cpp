#include "lower/source_comments.h"

#include <string_view>

#include <fmt/format.h>

#include "support/comment_text.h"

namespace stencilgen::lower {

std::string SourceComment(const Options& options, Span span) {
  if (options.source == nullptr || span.end <= span.begin ||
      span.end > options.source->text().size()) {
    return "";
  }
  const std::string_view text =
      std::string_view(options.source->text()).substr(span.begin, span.end - span.begin);
  return fmt::format("line {}: {}", options.source->Locate(span.begin).line, CommentText(text));
}

std::string StencilComment(const Options& options, const graph::Operator& op) {
  const std::string comment = SourceComment(options, op.span);
  return fmt::format("{}{}{}", op.stencil, comment.empty() ? "" : ", ", comment);
}

}  // namespace stencilgen::lower
