#include "support/code_writer.h"

namespace stencilgen {

CodeWriter::Scope::~Scope() {
  --writer_->depth_;
  writer_->Append(close_);
}

CodeWriter::Scope CodeWriter::OpenBlock(std::string_view head, std::string_view close) {
  Append(head.empty() ? "{" : fmt::format("{} {{", head));
  ++depth_;
  return Scope(this, close);
}

void CodeWriter::Text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    Append(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

void CodeWriter::Append(std::string_view line) {
  if (!line.empty()) {
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
    text_.append(line);
  }
  text_.push_back('\n');
}

}  // namespace stencilgen
