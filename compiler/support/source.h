#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stencilgen {

/// A half-open byte range of the source text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend constexpr bool operator==(Span, Span) = default;
};

/// The smallest span that covers both.
inline Span Cover(Span a, Span b) {
  return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

/// One-based; `column` counts UTF-8 code points.
struct LineColumn {
  int line = 1;
  int column = 1;
};

/// A source file held in memory, with its lines indexed.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  LineColumn Locate(std::uint32_t offset) const;
  int LineCount() const { return static_cast<int>(line_starts_.size()); }
  /// The text of a one-based line without its line ending.
  std::string_view Line(int line) const;
  /// Byte offset of the start of a one-based line.
  std::uint32_t LineStart(int line) const {
    return line_starts_[static_cast<std::size_t>(line - 1)];
  }

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace stencilgen
