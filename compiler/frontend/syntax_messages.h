#pragma once

#include <cstddef>
#include <vector>

#include "antlr4-runtime.h"
#include "frontend/scanner.h"
#include "support/diagnostics.h"

namespace stencilgen::frontend {

/// Where the parser could not go on.
struct SyntaxProblem {
  struct Rule {
    std::size_t rule = 0;   ///< a rule of the grammar that is being parsed
    std::size_t start = 0;  ///< index of its first token
  };
  std::size_t found = 0;                                ///< index of the token that does not fit
  std::vector<Rule> rules;                              ///< innermost first, never empty
  const antlr4::misc::IntervalSet* expected = nullptr;  ///< token types that would fit
};

/// How to go on: skip to the end of the statement, or of the block in braces that belongs to it;
/// or not at all, since the token found starts something new once a missing ';' is thought of.
enum class Repair { Skip, SkipBlock, InsertSemicolon };

/// Reports the problem as `syntax-error` in the user's terms: the mistake that it looks like, or
/// else what was expected.
Repair ReportSyntaxProblem(const SyntaxProblem& problem, const Scanner& scanner,
                           DiagnosticSink& sink);

}  // namespace stencilgen::frontend
