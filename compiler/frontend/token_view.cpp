#include "IdslParser.h"
#include "frontend/build_ast.h"
#include "frontend/common_mistakes.h"

namespace stencilgen::frontend {

using idsl_grammar::IdslParser;

std::size_t TokenView::Type(std::size_t index) const {
  return index < scanner_.all().size() ? scanner_.all()[index]->getType() : antlr4::Token::EOF;
}

std::string TokenView::Text(std::size_t index) const {
  constexpr std::size_t kLongest = 40;
  const Span span = SpanAt(index);
  std::string text = scanner_.text().substr(span.begin, span.end - span.begin);
  if (text.size() > kLongest) text = fmt::format("{}...", text.substr(0, kLongest));
  return text;
}

Span TokenView::SpanAt(std::size_t index) const {
  const auto end = static_cast<std::uint32_t>(scanner_.text().size());
  if (Type(index) == antlr4::Token::EOF) return {end, end};
  return SpanOf(scanner_.all()[index]);
}

bool TokenView::TouchesPrevious(std::size_t index) const {
  return index > 0 && SpanAt(index - 1).end == SpanAt(index).begin;
}

Span TokenView::EndOfPrevious() const {
  if (found_ == 0) return SpanAt(found_);
  const std::uint32_t end = SpanAt(found_ - 1).end;
  return {end, end};
}

Span TokenView::Place() const {
  return StartsLine() || Type() == antlr4::Token::EOF ? EndOfPrevious() : SpanAt(found_);
}

std::string TokenView::Describe() const {
  if (Type() == antlr4::Token::EOF) return "the end of the file";
  const bool keyword = Type() >= IdslParser::KW_PARAMETER && Type() <= IdslParser::KW_EVERY;
  return fmt::format("{}'{}'", keyword ? "the keyword " : "", Text(found_));
}

std::string TokenView::AfterPrevious() const {
  return found_ == 0 ? "" : fmt::format(" after '{}'", Text(found_ - 1));
}

std::string TokenView::Spelling(std::size_t token_type) {
  if (token_type == antlr4::Token::EOF) return "the end of the file";
  const std::string literal(IdslParser(nullptr).getVocabulary().getLiteralName(token_type));
  return literal.empty() ? "a number" : literal;
}

std::size_t TokenView::FindAfter(std::size_t index, std::size_t token_type) const {
  for (; index < found_; ++index) {
    if (Type(index) == token_type) return index;
  }
  return Scanner::kNone;
}

std::size_t TokenView::OpenBracket(std::size_t first) const {
  for (std::size_t index = found_; index-- > first;) {
    const std::size_t type = Type(index);
    const bool closes = type == IdslParser::RPAREN || type == IdslParser::RBRACKET;
    if (closes && HasPartner(index)) {
      index = scanner_.Partner(index);
      continue;
    }
    if (type == IdslParser::LPAREN || type == IdslParser::LBRACKET) return index;
  }
  return Scanner::kNone;
}

}  // namespace stencilgen::frontend
