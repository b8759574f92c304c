#pragma once

#include <optional>
#include <string>

#include "frontend/scanner.h"
#include "frontend/syntax_messages.h"
#include "support/source.h"

namespace stencilgen::frontend {

/// The tokens around the one that does not fit, in the user's words.
class TokenView {
 public:
  TokenView(const Scanner& scanner, std::size_t found) : scanner_(scanner), found_(found) {}

  std::size_t Type() const { return Type(found_); }
  std::size_t Type(std::size_t index) const;
  std::size_t found() const { return found_; }
  std::string Text(std::size_t index) const;
  Span SpanAt(std::size_t index) const;
  bool StartsLine() const { return scanner_.StartsLine(found_); }
  /// True where nothing stands between this token and the one before.
  bool TouchesPrevious(std::size_t index) const;

  /// The place just after the token before the one found.
  Span EndOfPrevious() const;
  /// The token found, or the end of the one before where that is on an earlier line.
  Span Place() const;
  /// `'x'`, `the keyword 'double'`, `the end of the file`.
  std::string Describe() const;
  /// ` after 'x'`, or nothing at the start of the file.
  std::string AfterPrevious() const;
  /// A token type as it is written, quoted.
  static std::string Spelling(std::size_t token_type);

  /// The first token of a type at or after `index`, before the one found.
  std::size_t FindAfter(std::size_t index, std::size_t token_type) const;
  /// The last bracket from `first` on that is open at the token found.
  std::size_t OpenBracket(std::size_t first) const;
  bool HasPartner(std::size_t index) const { return scanner_.Partner(index) != Scanner::kNone; }

 private:
  const Scanner& scanner_;
  std::size_t found_;
};

/// Words that are always keywords, so never names.
bool IsReserved(std::size_t token_type);

struct Mistake {
  Span span;
  std::string message;
  std::string hint;
  Repair repair = Repair::Skip;
};

/// Recognises what people write who come from C, from Fortran, or from a hurry.
std::optional<Mistake> FindMistake(const SyntaxProblem& problem, const TokenView& view);

}  // namespace stencilgen::frontend
