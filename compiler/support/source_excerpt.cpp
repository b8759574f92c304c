#include "support/source_excerpt.h"

#include <algorithm>
#include <vector>

#include "support/utf8.h"

namespace stencilgen {
namespace {

constexpr std::size_t kTabWidth = 4;
constexpr std::size_t kWindow = 100;      // cells shown of a long line
constexpr std::size_t kBeforeCaret = 40;  // of these, left of the caret
constexpr std::string_view kEllipsis = "...";

/// One character on screen.
struct Cell {
  std::size_t begin, end;  // its bytes in the line
  std::string_view text;
  std::size_t width;
};

/// Only what can be seen of the line is laid out: a line may be a megabyte long.
std::vector<Cell> LayOut(std::string_view line, std::size_t first, std::size_t count) {
  std::vector<Cell> cells;
  std::size_t column = 0;
  for (std::size_t at = first; at < line.size() && column < count;) {
    const auto code_point = DecodeUtf8(line, at);
    const std::size_t end = at + (code_point ? code_point->length : 1);
    if (line[at] == '\t') {
      constexpr std::string_view kBlanks = "        ";
      const std::size_t width = kTabWidth - column % kTabWidth;
      cells.push_back({at, end, kBlanks.substr(0, width), width});
    } else if (!code_point || !IsPrintable(code_point->value)) {
      cells.push_back({at, end, "?", 1});
    } else {
      cells.push_back({at, end, line.substr(at, code_point->length),
                       static_cast<std::size_t>(CellWidth(code_point->value))});
    }
    column += cells.back().width;
    at = end;
  }
  return cells;
}

/// The first byte to show so that `caret` is in the window.
std::size_t WindowStart(std::string_view line, std::size_t caret) {
  if (line.size() <= kWindow || caret <= kWindow - kBeforeCaret) return 0;
  std::size_t start = caret - kBeforeCaret;
  while (start > 0 && (static_cast<unsigned char>(line[start]) & 0xC0U) == 0x80U) --start;
  return start;
}

}  // namespace

SourceExcerpt Excerpt(const SourceFile& source, Span span) {
  const int line_number = source.Locate(span.begin).line;
  const std::string_view line = source.Line(line_number);
  const std::uint32_t line_start = source.LineStart(line_number);
  const std::size_t begin = std::min<std::size_t>(span.begin - line_start, line.size());
  const std::size_t end =
      span.end <= span.begin ? begin : std::min<std::size_t>(span.end - line_start, line.size());
  const std::size_t start = WindowStart(line, begin);
  const std::vector<Cell> cells = LayOut(line, start, kWindow);

  SourceExcerpt excerpt;
  if (start > 0) {
    excerpt.line.append(kEllipsis);
    excerpt.marks.append(kEllipsis.size(), ' ');
  }
  bool marked = false;
  for (const Cell& cell : cells) {
    excerpt.line.append(cell.text);
    if (cell.begin < begin) {
      excerpt.marks.append(cell.width, ' ');
    } else if (cell.begin < end || !marked) {
      excerpt.marks.append(cell.width, '~');
      if (!marked) excerpt.marks[excerpt.marks.size() - cell.width] = '^';
      marked = true;
    }
  }
  if (!marked) excerpt.marks.push_back('^');
  const bool cut = !cells.empty() && cells.back().end < line.size();
  if (cut) excerpt.line.append(kEllipsis);
  while (!excerpt.line.empty() && excerpt.line.back() == ' ') excerpt.line.pop_back();
  return excerpt;
}

}  // namespace stencilgen
