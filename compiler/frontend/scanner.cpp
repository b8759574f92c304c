#include "frontend/scanner.h"

#include <algorithm>

#include "IdslLexer.h"
#include "frontend/build_ast.h"
#include "frontend/parse.h"

namespace stencilgen::frontend {
namespace {

using idsl_grammar::IdslLexer;

constexpr DiagnosticKind<int> kNestingTooDeep{"nesting-too-deep", Severity::Error,
                                              "brackets nest more than {} levels deep here"};

/// Hands `0..9` on as three tokens, and repeated semicolons as one, which they mean.
class SplittingLexer : public IdslLexer {
 public:
  explicit SplittingLexer(antlr4::CharStream* input) : IdslLexer(input) {}

  std::unique_ptr<antlr4::Token> nextToken() override {
    if (pending_ != nullptr) return std::move(pending_);
    std::unique_ptr<antlr4::Token> scanned;
    do {
      scanned = IdslLexer::nextToken();
    } while (scanned->getType() == IdslLexer::SEMI && after_semicolon_);
    after_semicolon_ = scanned->getType() == IdslLexer::SEMI;
    if (scanned->getType() != IdslLexer::INTEGER_DOTDOT) return scanned;
    const std::size_t start = scanned->getStartIndex();
    const std::size_t stop = scanned->getStopIndex();
    pending_ = Make(IdslLexer::DOTDOT, stop - 1, stop);
    return Make(IdslLexer::INTEGER, start, stop - 2);
  }

 private:
  std::unique_ptr<antlr4::Token> Make(std::size_t token_type, std::size_t start, std::size_t stop) {
    const std::pair<antlr4::TokenSource*, antlr4::CharStream*> source{this, _input};
    return std::make_unique<antlr4::CommonToken>(source, token_type, antlr4::Token::DEFAULT_CHANNEL,
                                                 start, stop);
  }

  std::unique_ptr<antlr4::Token> pending_;
  bool after_semicolon_ = false;
};

bool IsOpening(std::size_t token_type) {
  return token_type == IdslLexer::LPAREN || token_type == IdslLexer::LBRACKET ||
         token_type == IdslLexer::LBRACE;
}

std::size_t OpeningOf(std::size_t token_type) {
  switch (token_type) {
    case IdslLexer::RPAREN:
      return IdslLexer::LPAREN;
    case IdslLexer::RBRACKET:
      return IdslLexer::LBRACKET;
    case IdslLexer::RBRACE:
      return IdslLexer::LBRACE;
    default:
      return 0;
  }
}

}  // namespace

Scanner::Scanner(const std::string& text, DiagnosticSink& sink)
    : text_(text),
      input_(std::make_unique<antlr4::ANTLRInputStream>(text)),
      lexer_(std::make_unique<SplittingLexer>(input_.get())),
      stream_(std::make_unique<antlr4::CommonTokenStream>(lexer_.get())) {
  lexer_->removeErrorListeners();
  stream_->fill();
  all_ = stream_->getTokens();
  MatchBrackets(sink);
}

Scanner::~Scanner() = default;

bool Scanner::StartsLine(std::size_t token_index) const {
  if (token_index == 0) return true;
  const std::size_t begin = all_[token_index - 1]->getStopIndex() + 1;
  const std::size_t end = std::min(all_[token_index]->getStartIndex(), text_.size());
  return text_.find_first_of("\r\n", begin) < end;
}

void Scanner::MatchBrackets(DiagnosticSink& sink) {
  partners_.assign(all_.size(), kNone);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const std::size_t token_type = all_[i]->getType();
    // `?` opens a conditional for its `:`, since the parser recurses there too.
    if (IsOpening(token_type) || token_type == IdslLexer::QUESTION) {
      open.push_back(i);
      if (open.size() > static_cast<std::size_t>(kMaxBracketDepth) && parsable_) {
        parsable_ = false;
        sink.Report(SpanOf(all_[i]), kNestingTooDeep, kMaxBracketDepth);
      }
      continue;
    }
    const std::size_t opening = OpeningOf(token_type);
    const bool ends_conditional = token_type == IdslLexer::COLON && !open.empty() &&
                                  all_[open.back()]->getType() == IdslLexer::QUESTION;
    if (ends_conditional) {
      open.pop_back();
      continue;
    }
    if (opening == 0 && token_type != IdslLexer::SEMI) continue;
    // A brace or a semicolon ends what is left open inside a statement.
    const bool ends_statement = opening == 0 || opening == IdslLexer::LBRACE;
    while (!open.empty()) {
      const std::size_t top = all_[open.back()]->getType();
      const bool abandoned =
          top == IdslLexer::QUESTION || (ends_statement && top != IdslLexer::LBRACE);
      if (!abandoned) break;
      open.pop_back();
    }
    if (opening == 0 || open.empty() || all_[open.back()]->getType() != opening) continue;
    partners_[i] = open.back();
    partners_[open.back()] = i;
    open.pop_back();
  }
}

}  // namespace stencilgen::frontend
