#include "support/code_writer.h"

#include <algorithm>

namespace stencilgen {
namespace {

constexpr std::size_t kWidth = 92;

/// Where a line of at most `width` characters may end: at a space outside string literals, or later
/// where there is none.
std::size_t LineEnd(std::string_view code, std::size_t width) {
  if (code.size() <= width) return code.size();
  std::size_t end = 0;
  bool in_string = false;
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (code[k] == '"') in_string = !in_string;
    if (k > width && end > 0) return end;
    if (code[k] == ' ' && !in_string) end = k;
  }
  return end > 0 ? end : code.size();
}

}  // namespace

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

void WriteWrapped(CodeWriter& writer, std::string_view code) {
  bool first = true;
  while (!code.empty()) {
    const std::size_t end = LineEnd(code, first ? kWidth : kWidth - 4);
    writer.Line("{}{}", first ? "" : "    ", code.substr(0, end));
    code.remove_prefix(std::min(code.size(), end + 1));
    first = false;
  }
}

void WriteCall(CodeWriter& writer, std::string_view head, const std::vector<std::string>& arguments,
               std::string_view tail) {
  std::string line = fmt::format("{}(", head);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool last = k + 1 == arguments.size();
    const std::size_t needed = arguments[k].size() + (last ? 1 + tail.size() : 1);
    if (line.size() + 1 + needed > kWidth && k > 0) {
      writer.Line("{}", line);
      line = "    ";
    } else if (k > 0) {
      line.push_back(' ');
    }
    line.append(arguments[k]).append(last ? "" : ",");
  }
  writer.Line("{}){}", line, tail);
}

void WriteUnless(CodeWriter& writer, std::string_view call, std::string_view statement) {
  std::string line = fmt::format("if (!{}) {}", call, statement);
  if (line.size() <= kWidth) return writer.Line("{}", line);
  WriteWrapped(writer, fmt::format("if (!{}) {{", call));
  writer.Line("  {}", statement);
  writer.Line("}}");
}

void WriteIndented(CodeWriter& writer, std::string_view body) {
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    writer.Line("{}{}", end == 0 ? "" : "  ", body.substr(0, end));
    body.remove_prefix(end + 1);
  }
}

}  // namespace stencilgen
