#include "codegen/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace stencilgen::codegen {
namespace {

constexpr std::size_t kWidth = 92;

bool IsSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

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

template <typename T>
std::string FloatingText(T value, std::string_view suffix, std::string_view infinity) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return fmt::format("{}{}", value < 0 ? "-" : "", infinity);
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits.append(".0");
  return digits.append(suffix);
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

std::string LiteralText(ScalarType type, double value) {
  switch (type) {
    case ScalarType::Bool:
      return value != 0 ? "true" : "false";
    case ScalarType::Int: {
      constexpr double kEnd = 2147483648.0;
      if (std::isnan(value)) return "0";
      return LiteralText(type, static_cast<std::int64_t>(std::clamp(value, -kEnd, kEnd - 1)));
    }
    case ScalarType::Float:
      return FloatingText(
          std::abs(value) > std::numeric_limits<float>::max() && !std::isnan(value)
              ? std::copysign(std::numeric_limits<float>::infinity(), value < 0 ? -1.0F : 1.0F)
              : static_cast<float>(value),
          "F", "HUGE_VALF");
    case ScalarType::Double:
      return FloatingText(value, "", "HUGE_VAL");
  }
  return "";
}

std::string LiteralText(ScalarType type, std::int64_t value) {
  if (type == ScalarType::Bool) return value != 0 ? "true" : "false";
  // The literal 2147483648 is not an int.
  if (value == std::numeric_limits<std::int32_t>::min()) return "(-2147483647 - 1)";
  return fmt::format("{}", value);
}

}  // namespace stencilgen::codegen
