#pragma once

#include <vector>

#include "antlr4-runtime.h"
#include "frontend/scanner.h"
#include "frontend/syntax_messages.h"
#include "support/diagnostics.h"

namespace stencilgen::frontend {

/// Reports syntax errors in the words of syntax_messages.h and goes on with the next statement or
/// section: an error leaves every rule up to the statement's, which then skips what is left of it.
/// Throws ParseCancellationException after kMaxSyntaxErrors.
class ErrorStrategy : public antlr4::ANTLRErrorStrategy {
 public:
  /// `removed`: what has been reported and taken out of the text, in order.
  ErrorStrategy(const Scanner& scanner, const std::vector<Span>& removed, DiagnosticSink& sink)
      : scanner_(scanner), removed_(removed), sink_(sink) {}

  void reset(antlr4::Parser* parser) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void recover(antlr4::Parser* parser, std::exception_ptr exception) override;
  void sync(antlr4::Parser* parser) override;
  bool inErrorRecoveryMode(antlr4::Parser* parser) override;
  void reportMatch(antlr4::Parser* parser) override;
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) override;

  static constexpr int kMaxSyntaxErrors = 50;

 private:
  void Report(antlr4::Parser* parser, const antlr4::Token* found,
              const antlr4::misc::IntervalSet& expected);
  void SkipItem(antlr4::Parser* parser, bool in_braces);
  bool IsKnown(const antlr4::Token* found) const;
  bool EndsContainer(antlr4::Parser* parser, std::size_t container_rule) const;

  const Scanner& scanner_;
  const std::vector<Span>& removed_;
  DiagnosticSink& sink_;
  int reported_ = 0;
  bool unwinding_ = false;  // an error has been reported and looks for its statement's rule
  bool eof_reported_ = false;
  Repair repair_ = Repair::Skip;  // of the error last reported
  std::size_t last_skipped_ = Scanner::kNone;
};

}  // namespace stencilgen::frontend
