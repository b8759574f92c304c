#include "support/source.h"

#include <algorithm>

namespace stencilgen {

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), line_starts_{0} {
  for (std::uint32_t i = 0; i < text_.size(); ++i) {
    const bool lone_cr = text_[i] == '\r' && (i + 1 >= text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || lone_cr) line_starts_.push_back(i + 1);
  }
}

LineColumn SourceFile::Locate(std::uint32_t offset) const {
  offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const int line = static_cast<int>(after - line_starts_.begin());
  int column = 1;
  for (std::uint32_t i = LineStart(line); i < offset; ++i) {
    const auto byte = static_cast<unsigned char>(text_[i]);
    if ((byte & 0xC0U) != 0x80U) ++column;
  }
  return {line, column};
}

std::string_view SourceFile::Line(int line) const {
  const std::uint32_t begin = LineStart(line);
  std::uint32_t end =
      line < LineCount() ? LineStart(line + 1) : static_cast<std::uint32_t>(text_.size());
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace stencilgen
