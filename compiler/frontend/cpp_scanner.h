#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace stencilgen::frontend {

/// What separates the words of a directive.
inline constexpr std::string_view kBlanks = " \t\f\v\r";

/// A preprocessing directive of a C or C++ file.
struct CppDirective {
  Span span;                ///< from `#` to the end of its last line, without the line break
  std::size_t after = 0;    ///< where the next line begins
  std::string keyword;      ///< `pragma`; empty where no name follows the `#`
  std::string rest;         ///< what follows, with spliced lines joined and comments blanked
  bool after_code = false;  ///< something other than comments and directives stands before it
  /// The offset in the file of each character of `rest`, and of its end.
  std::vector<std::uint32_t> offsets;

  /// The place in the file of `rest.substr(begin, end - begin)`.
  Span SpanOfRest(std::size_t begin, std::size_t end) const;
};

/// Finds the directives of C and C++ text, as a compiler does that takes every `#if`: not those in
/// comments, character and string literals and raw strings; line splices may stand anywhere. Any
/// bytes are scanned; quotes that the line does not close end with it.
class CppScanner {
 public:
  /// Requires: the text outlives the scanner and is shorter than 4 GiB.
  explicit CppScanner(std::string_view text);

  /// The next directive; empty at the end of the text.
  std::optional<CppDirective> NextDirective();

  /// The next directive of a stencil program, which has no literals and no line splices. Empty at
  /// the end of the text; then `open_comment` is the start of a comment that never ends, if any.
  /// Requires: the last directive found is the one before the program, or one inside it.
  std::optional<CppDirective> NextDirectiveOfProgram(std::optional<Span>& open_comment);

  /// The places of `_Pragma("dsl ...")` and `__pragma(dsl ...)` in the C++ text passed so far. A
  /// macro may hold them, so that what they begin and end is not known: they are no directives.
  const std::vector<Span>& dsl_operators() const { return dsl_operators_; }

 private:
  bool Done() const { return at_ >= text_.size(); }
  char Peek() const { return Done() ? '\0' : text_[at_]; }
  char PeekNext() const;
  void Advance() { at_ = AfterSplices(at_ + 1); }
  std::size_t AfterSplices(std::size_t at) const;

  bool AtComment() const { return Peek() == '/' && (PeekNext() == '/' || PeekNext() == '*'); }
  void SkipComment();
  void SkipToken();
  void SkipNumber();
  void SkipQuoted();
  void SkipRawString();
  void NotePragmaOperator(std::size_t begin);
  std::string ReadWord();
  CppDirective ReadDirective();
  void CollectRest(CppDirective& directive);
  void AppendLogical(CppDirective& directive, std::size_t begin) const;

  std::string_view text_;
  std::size_t at_ = 0;  ///< never at a line splice
  bool line_start_ = true;
  bool code_seen_ = false;
  std::vector<Span> dsl_operators_;
};

}  // namespace stencilgen::frontend
