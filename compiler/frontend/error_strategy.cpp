#include "frontend/error_strategy.h"

#include <algorithm>
#include <exception>

#include "IdslParser.h"
#include "frontend/build_ast.h"

namespace stencilgen::frontend {
namespace {

using antlr4::misc::IntervalSet;
using idsl_grammar::IdslParser;

const IntervalSet& ExpectedAt(const antlr4::Parser* parser, std::size_t state) {
  const antlr4::atn::ATN& atn = parser->getATN();
  return atn.nextTokens(atn.states[state]);
}

/// The keyword words that can only start an item of a program or of a stencil's body.
bool StartsItem(std::size_t token_type) {
  return token_type >= IdslParser::KW_PARAMETER && token_type <= IdslParser::KW_SWAP;
}

/// A section that can only stand outside of stencils.
bool StartsProgramItem(std::size_t token_type) {
  switch (token_type) {
    case IdslParser::KW_PARAMETER:
    case IdslParser::KW_ITERATOR:
    case IdslParser::KW_COPYIN:
    case IdslParser::KW_COPYOUT:
    case IdslParser::KW_ALLOCIN:
    case IdslParser::KW_CONSTANT:
    case IdslParser::KW_COEFFICIENT:
    case IdslParser::KW_STENCIL:
    case IdslParser::KW_FUNCTION:
      return true;
    default:
      return false;
  }
}

std::size_t FindBrace(antlr4::ParserRuleContext* context) {
  for (antlr4::tree::ParseTree* child : context->children) {
    auto* leaf = dynamic_cast<antlr4::tree::TerminalNode*>(child);
    if (leaf == nullptr) continue;
    const antlr4::Token* symbol = leaf->getSymbol();
    if (symbol->getType() == IdslParser::LBRACE) return symbol->getTokenIndex();
  }
  return Scanner::kNone;
}

}  // namespace

void ErrorStrategy::reset(antlr4::Parser* /*parser*/) {}

bool ErrorStrategy::inErrorRecoveryMode(antlr4::Parser* /*parser*/) {
  return unwinding_;
}

void ErrorStrategy::reportMatch(antlr4::Parser* /*parser*/) {}

bool ErrorStrategy::IsKnown(const antlr4::Token* found) const {
  const std::size_t index = found->getTokenIndex();
  const std::uint32_t begin = index > 0 ? SpanOf(scanner_.all()[index - 1]).end : 0;
  const auto removed = std::lower_bound(removed_.begin(), removed_.end(), begin,
                                        [](Span span, std::uint32_t at) { return span.end <= at; });
  return removed != removed_.end() && removed->begin < SpanOf(found).begin;
}

void ErrorStrategy::Report(antlr4::Parser* parser, const antlr4::Token* found,
                           const IntervalSet& expected) {
  repair_ = Repair::Skip;
  const bool at_eof = found->getType() == antlr4::Token::EOF;
  if (IsKnown(found) || (at_eof && eof_reported_)) return;
  eof_reported_ = at_eof;
  SyntaxProblem problem;
  problem.found = found->getTokenIndex();
  problem.expected = &expected;
  for (antlr4::RuleContext* context = parser->getContext(); context != nullptr;
       context = dynamic_cast<antlr4::RuleContext*>(context->parent)) {
    const auto* rule = static_cast<antlr4::ParserRuleContext*>(context);
    problem.rules.push_back({context->getRuleIndex(), rule->start->getTokenIndex()});
  }
  repair_ = ReportSyntaxProblem(problem, scanner_, sink_);
  if (++reported_ >= kMaxSyntaxErrors) {
    throw antlr4::ParseCancellationException("too many syntax errors");
  }
}

antlr4::Token* ErrorStrategy::recoverInline(antlr4::Parser* parser) {
  const IntervalSet& expected = ExpectedAt(parser, parser->getState());
  Report(parser, parser->getCurrentToken(), expected);
  // A body that is never closed: what follows is read as if it were.
  if (expected.contains(static_cast<std::size_t>(IdslParser::RBRACE))) {
    return parser->getCurrentToken();
  }
  unwinding_ = true;
  throw antlr4::InputMismatchException(parser);
}

void ErrorStrategy::reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) {
  if (unwinding_) return;
  unwinding_ = true;
  const IntervalSet none;
  const bool at_decision = error.getOffendingToken() == parser->getCurrentToken();
  Report(parser, error.getOffendingToken(),
         at_decision ? ExpectedAt(parser, error.getOffendingState()) : none);
}

void ErrorStrategy::recover(antlr4::Parser* parser, std::exception_ptr exception) {
  const std::size_t rule = parser->getContext()->getRuleIndex();
  const bool is_item = rule == IdslParser::RuleItem || rule == IdslParser::RuleStencilItem ||
                       rule == IdslParser::RuleCallItem;
  if (!is_item) std::rethrow_exception(std::move(exception));
  unwinding_ = false;
  const auto* parent = dynamic_cast<antlr4::RuleContext*>(parser->getContext()->parent);
  const bool in_braces = rule != IdslParser::RuleItem &&
                         (parent == nullptr || parent->getRuleIndex() != IdslParser::RuleItem);
  const bool moved =
      parser->getCurrentToken()->getTokenIndex() > parser->getContext()->start->getTokenIndex();
  if (repair_ == Repair::InsertSemicolon && moved) return;
  SkipItem(parser, in_braces);
}

bool ErrorStrategy::EndsContainer(antlr4::Parser* parser, std::size_t container_rule) const {
  const antlr4::Token* token = parser->getCurrentToken();
  if (token->getType() == antlr4::Token::EOF) return true;
  if (container_rule == IdslParser::RuleProgram) return false;
  // A section inside a body that is closed further on is misplaced; otherwise the body lacks its
  // brace.
  if (!StartsProgramItem(token->getType())) return false;
  const std::size_t brace = FindBrace(parser->getContext());
  return brace != Scanner::kNone && scanner_.Partner(brace) == Scanner::kNone;
}

void ErrorStrategy::sync(antlr4::Parser* parser) {
  const std::size_t rule = parser->getContext()->getRuleIndex();
  const bool is_container = rule == IdslParser::RuleProgram || rule == IdslParser::RuleStencil ||
                            rule == IdslParser::RuleCallItem;
  if (!is_container) return;
  const IntervalSet& expected = ExpectedAt(parser, parser->getState());
  const bool at_items = expected.contains(rule == IdslParser::RuleProgram
                                              ? antlr4::Token::EOF
                                              : static_cast<std::size_t>(IdslParser::RBRACE));
  if (!at_items) return;
  while (!expected.contains(parser->getCurrentToken()->getType()) && !EndsContainer(parser, rule)) {
    Report(parser, parser->getCurrentToken(), expected);
    if (parser->getCurrentToken()->getType() == IdslParser::RBRACE) {
      parser->consume();
    } else {
      SkipItem(parser, rule != IdslParser::RuleProgram);
    }
  }
}

void ErrorStrategy::SkipItem(antlr4::Parser* parser, bool in_braces) {
  bool moved = false;
  if (parser->getCurrentToken()->getTokenIndex() == last_skipped_) {
    parser->consume();  // no place is tried twice
    moved = true;
  }
  const bool whole_block = repair_ == Repair::SkipBlock;
  for (;; moved = true) {
    const antlr4::Token* token = parser->getCurrentToken();
    const std::size_t index = token->getTokenIndex();
    const std::size_t token_type = token->getType();
    if (token_type == antlr4::Token::EOF) break;
    if (StartsItem(token_type) && scanner_.StartsLine(index) && moved) break;
    if (token_type == IdslParser::RBRACE && in_braces) break;
    std::size_t last = index;
    const bool opens_block =
        token_type == IdslParser::LBRACE && scanner_.Partner(index) != Scanner::kNone;
    if (opens_block) last = scanner_.Partner(index);
    while (parser->getCurrentToken()->getTokenIndex() <= last) parser->consume();
    if (token_type == IdslParser::RBRACE || (token_type == IdslParser::SEMI && !whole_block)) break;
    // What follows a block on its line belongs to it.
    if (opens_block && scanner_.StartsLine(last + 1)) break;
  }
  last_skipped_ = parser->getCurrentToken()->getTokenIndex();
}

}  // namespace stencilgen::frontend
