#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "antlr4-runtime.h"
#include "support/diagnostics.h"

namespace stencilgen::frontend {

/// The tokens of a program, and which bracket belongs to which.
class Scanner {
 public:
  /// Scans everything. Reports `nesting-too-deep`.
  /// Requires: ASCII text, which outlives the scanner.
  Scanner(const std::string& text, DiagnosticSink& sink);
  ~Scanner();

  /// False where brackets nest too deeply for a recursive parser.
  bool Parsable() const { return parsable_; }
  antlr4::CommonTokenStream* tokens() { return stream_.get(); }
  const std::vector<antlr4::Token*>& all() const { return all_; }
  const std::string& text() const { return text_; }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// The index of the bracket that closes the one at `token_index`, or opens it; kNone where it
  /// has no partner or the token is no bracket.
  std::size_t Partner(std::size_t token_index) const { return partners_[token_index]; }
  /// True for the first token and for one that has a line break somewhere before it.
  bool StartsLine(std::size_t token_index) const;

 private:
  void MatchBrackets(DiagnosticSink& sink);

  const std::string& text_;
  std::unique_ptr<antlr4::ANTLRInputStream> input_;
  std::unique_ptr<antlr4::Lexer> lexer_;
  std::unique_ptr<antlr4::CommonTokenStream> stream_;
  std::vector<antlr4::Token*> all_;
  std::vector<std::size_t> partners_;
  bool parsable_ = true;
};

}  // namespace stencilgen::frontend
