#include "frontend/cpp_scanner.h"

#include <algorithm>

namespace stencilgen::frontend {
namespace {

/// White space but for the line break.
bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsWord(char c) {
  return IsWordStart(c) || IsDigit(c);
}

bool IsRawPrefix(std::string_view word) {
  return word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR";
}

}  // namespace

Span CppDirective::SpanOfRest(std::size_t begin, std::size_t end) const {
  if (begin >= end) return {offsets[begin], offsets[begin]};
  return {offsets[begin], offsets[end - 1] + 1};
}

CppScanner::CppScanner(std::string_view text) : text_(text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  at_ = AfterSplices(text.substr(0, 3) == kByteOrderMark ? 3 : 0);
}

std::size_t CppScanner::AfterSplices(std::size_t at) const {
  while (at < text_.size() && text_[at] == '\\') {
    // Compilers accept blanks between the backslash and the line break.
    std::size_t end = at + 1;
    while (end < text_.size() && IsBlank(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != '\n') return at;
    at = end + 1;
  }
  return at;
}

char CppScanner::PeekNext() const {
  const std::size_t next = AfterSplices(at_ + 1);
  return next < text_.size() ? text_[next] : '\0';
}

void CppScanner::SkipComment() {
  Advance();
  const bool block = Peek() == '*';
  Advance();
  if (!block) {
    while (!Done() && Peek() != '\n') Advance();
    return;
  }
  while (!Done()) {
    if (Peek() == '*' && PeekNext() == '/') {
      Advance();
      Advance();
      return;
    }
    Advance();
  }
}

void CppScanner::SkipToken() {
  const char c = Peek();
  if (c == '"' || c == '\'') {
    SkipQuoted();
  } else if (IsWordStart(c)) {
    const std::size_t begin = at_;
    const std::string word = ReadWord();
    if (Peek() == '"' && IsRawPrefix(word)) SkipRawString();
    if (word == "_Pragma" || word == "__pragma") NotePragmaOperator(begin);
  } else if (IsDigit(c) || (c == '.' && IsDigit(PeekNext()))) {
    SkipNumber();
  } else {
    Advance();
  }
}

/// `1'000.0e-5`: the quotes in it open no literal.
void CppScanner::SkipNumber() {
  while (!Done()) {
    const char c = Peek();
    const char next = PeekNext();
    const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
    const bool separator = c == '\'' && IsWord(next);
    if (!IsWord(c) && c != '.' && !separator) return;
    Advance();
    if (exponent && (next == '+' || next == '-')) Advance();
  }
}

void CppScanner::SkipQuoted() {
  const char quote = Peek();
  Advance();
  while (!Done() && Peek() != '\n') {
    const char c = Peek();
    Advance();
    if (c == quote) return;
    if (c == '\\' && !Done() && Peek() != '\n') Advance();
  }
}

/// Raw strings know no line splices.
void CppScanner::SkipRawString() {
  constexpr std::size_t kLongestDelimiter = 16;
  const std::size_t begin = at_ + 1;
  const std::size_t open = text_.find_first_of("( )\\\t\v\f\n\r\"", begin);
  const bool raw =
      open != std::string_view::npos && text_[open] == '(' && open - begin <= kLongestDelimiter;
  if (!raw) return SkipQuoted();
  const std::string close = std::string(")").append(text_.substr(begin, open - begin)).append("\"");
  const std::size_t end = text_.find(close, open);
  at_ = end == std::string_view::npos ? text_.size() : AfterSplices(end + close.size());
}

/// Keeps the place of an operator about stencil programs. Requires: its name has been read.
void CppScanner::NotePragmaOperator(std::size_t begin) {
  std::size_t at = at_;
  const auto skip = [&](std::string_view characters) {
    at = std::min(text_.find_first_not_of(characters, at), text_.size());
  };
  constexpr std::string_view kSpace = " \t\f\v\r\n";
  skip(kSpace);
  if (at >= text_.size() || text_[at] != '(') return;
  ++at;
  skip(kSpace);
  skip("L\"");
  skip(kSpace);
  if (text_.substr(at, 3) != "dsl" || (at + 3 < text_.size() && IsWord(text_[at + 3]))) return;
  const std::size_t close = text_.find_first_of(")\r\n", at);
  const std::size_t end = close < text_.size() && text_[close] == ')' ? close + 1 : at + 3;
  dsl_operators_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
}

std::string CppScanner::ReadWord() {
  std::string word;
  for (; IsWord(Peek()); Advance()) word.push_back(Peek());
  return word;
}

std::optional<CppDirective> CppScanner::NextDirective() {
  while (!Done()) {
    const char c = Peek();
    if (c == '\n') {
      line_start_ = true;
      Advance();
    } else if (IsBlank(c)) {
      Advance();
    } else if (AtComment()) {
      SkipComment();
    } else if (line_start_ && (c == '#' || (c == '%' && PeekNext() == ':'))) {
      return ReadDirective();
    } else {
      line_start_ = false;
      code_seen_ = true;
      SkipToken();
    }
  }
  return std::nullopt;
}

std::optional<CppDirective> CppScanner::NextDirectiveOfProgram(std::optional<Span>& open_comment) {
  open_comment.reset();
  line_start_ = true;
  code_seen_ = true;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const std::string_view two = text_.substr(at_, 2);
    if (c == '\n' || c == '\r') {
      line_start_ = true;
      ++at_;
    } else if (IsBlank(c)) {
      ++at_;
    } else if (two == "//") {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    } else if (two == "/*") {
      const std::size_t close = text_.find("*/", at_ + 2);
      if (close == std::string_view::npos) {
        const auto begin = static_cast<std::uint32_t>(at_);
        open_comment = Span{begin, begin + 2};
        at_ = text_.size();
        return std::nullopt;
      }
      at_ = close + 2;
    } else if (c == '#' && line_start_) {
      return ReadDirective();
    } else {
      line_start_ = false;
      ++at_;
    }
  }
  return std::nullopt;
}

CppDirective CppScanner::ReadDirective() {
  CppDirective directive;
  directive.after_code = code_seen_;
  directive.span.begin = static_cast<std::uint32_t>(at_);
  if (Peek() == '%') Advance();  // `%:` is another way to write `#`
  Advance();
  while (IsBlank(Peek()) || AtComment()) {
    if (AtComment()) {
      SkipComment();
    } else {
      Advance();
    }
  }
  directive.keyword = ReadWord();
  CollectRest(directive);
  std::size_t end = std::min(at_, text_.size());
  directive.after = std::min(end + 1, text_.size());
  if (end > directive.span.begin + 1 && text_[end - 1] == '\r') --end;
  directive.span.end = static_cast<std::uint32_t>(end);
  directive.offsets.push_back(directive.span.end);
  return directive;
}

void CppScanner::CollectRest(CppDirective& directive) {
  const bool includes = directive.keyword == "include" || directive.keyword == "include_next" ||
                        directive.keyword == "import" || directive.keyword == "embed";
  bool first = true;
  while (!Done() && Peek() != '\n') {
    const std::size_t begin = at_;
    if (AtComment()) {
      SkipComment();
      directive.rest.push_back(' ');
      directive.offsets.push_back(static_cast<std::uint32_t>(begin));
      continue;
    }
    if (first && includes && Peek() == '<') {
      // The name of a header may hold quotes and what looks like a comment.
      while (!Done() && Peek() != '\n' && Peek() != '>') Advance();
    } else if (IsBlank(Peek())) {
      Advance();
    } else {
      first = false;
      SkipToken();
    }
    AppendLogical(directive, begin);
  }
}

/// Appends the characters from `begin` to the present place.
void CppScanner::AppendLogical(CppDirective& directive, std::size_t begin) const {
  for (std::size_t at = begin; at < at_ && at < text_.size(); at = AfterSplices(at + 1)) {
    directive.rest.push_back(text_[at]);
    directive.offsets.push_back(static_cast<std::uint32_t>(at));
  }
}

}  // namespace stencilgen::frontend
