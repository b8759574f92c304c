#include "frontend/syntax_messages.h"

#include <optional>
#include <string>

#include "IdslParser.h"
#include "frontend/build_ast.h"
#include "frontend/common_mistakes.h"

namespace stencilgen::frontend {
namespace {

using idsl_grammar::IdslParser;

constexpr DiagnosticKind<std::string> kSyntaxError{"syntax-error", Severity::Error, "{}"};

class Explainer {
 public:
  Explainer(const SyntaxProblem& problem, const Scanner& scanner, DiagnosticSink& sink)
      : problem_(problem), view_(scanner, problem.found), sink_(sink) {}

  Repair Run() {
    if (const std::optional<Mistake> mistake = FindMistake(problem_, view_)) {
      auto report = sink_.Report(mistake->span, kSyntaxError, mistake->message);
      if (!mistake->hint.empty()) report.Hint(mistake->hint);
      return mistake->repair;
    }
    if (Expects(IdslParser::RBRACE) && Rule() != IdslParser::RuleProgram &&
        problem_.expected->size() == 1) {
      MissingBrace();
      return Repair::Skip;
    }
    if (Expects(IdslParser::SEMI) && !AtItems()) return MissingSemicolon();
    if (Expects(IdslParser::RPAREN) && !Expects(IdslParser::INTEGER)) {
      MissingBracket("')'", IdslParser::LPAREN);
    } else if (Expects(IdslParser::RBRACKET)) {
      MissingBracket("']'", IdslParser::LBRACKET);
    } else if (AtItems() || problem_.expected->contains(antlr4::Token::EOF)) {
      sink_.Report(view_.SpanAt(view_.found()), kSyntaxError,
                   fmt::format("expected {}, found {}", Expected(), view_.Describe()));
    } else {
      Report(fmt::format("expected {}{}, found {}", Expected(), view_.AfterPrevious(),
                         view_.Describe()));
    }
    const bool header = Rule() == IdslParser::RuleStencil && Expects(IdslParser::LBRACE);
    return header ? Repair::SkipBlock : Repair::Skip;
  }

 private:
  std::size_t Rule() const { return problem_.rules.front().rule; }
  bool Expects(std::size_t token_type) const { return problem_.expected->contains(token_type); }

  /// Between the items of a program or a body.
  bool AtItems() const { return Expects(IdslParser::SEMI) && Expects(IdslParser::LBRACKET); }

  DiagnosticSink::Attach Report(std::string message) {
    return sink_.Report(view_.Place(), kSyntaxError, std::move(message));
  }

  void MissingBrace() {
    const SyntaxProblem::Rule& rule = problem_.rules.front();
    const bool is_stencil = rule.rule == IdslParser::RuleStencil;
    auto report = Report(fmt::format("expected '}}' to close the body of {} before {}",
                                     is_stencil ? "the stencil" : "'iterate'", view_.Describe()));
    const std::size_t brace = view_.FindAfter(rule.start, IdslParser::LBRACE);
    if (brace != Scanner::kNone) report.Note(view_.SpanAt(brace), "the brace opened here");
  }

  Repair MissingSemicolon() {
    const std::size_t token_type = view_.Type();
    if (view_.StartsLine() || token_type == IdslParser::RBRACE ||
        token_type == antlr4::Token::EOF) {
      sink_.Report(view_.EndOfPrevious(), kSyntaxError,
                   fmt::format("expected ';' after {}", Construct()));
      return Repair::InsertSemicolon;
    }
    if (token_type == IdslParser::RPAREN || token_type == IdslParser::RBRACKET) {
      Report(fmt::format("{} closes no bracket", view_.Describe()));
    } else if (Rule() == IdslParser::RuleCallItem) {
      Report(
          fmt::format("expected ';' after the two arrays of 'swap', found {}", view_.Describe()));
    } else if (Rule() == IdslParser::RuleStatement) {
      Report(fmt::format("expected an operator or ';' before {}", view_.Describe()));
    } else {
      Report(fmt::format("expected ',' or ';' before {}", view_.Describe()));
    }
    return Repair::Skip;
  }

  std::string_view Construct() const {
    switch (Rule()) {
      case IdslParser::RuleStatement:
        return "the statement";
      case IdslParser::RuleDeclaration:
        return "the declaration";
      case IdslParser::RuleUnroll:
        return "'unroll'";
      case IdslParser::RuleCallItem:
        return "'swap'";
      default:
        return "the section";
    }
  }

  void MissingBracket(std::string_view closing, std::size_t opening_type) {
    const bool is_list = Rule() == IdslParser::RuleArguments || Rule() == IdslParser::RuleStencil ||
                         Rule() == IdslParser::RuleBoundary;
    auto report = Report(fmt::format("expected {}{}{}, found {}", is_list ? "',' or " : "", closing,
                                     view_.AfterPrevious(), view_.Describe()));
    const std::size_t opening = view_.OpenBracket(problem_.rules.front().start);
    if (opening != Scanner::kNone && view_.Type(opening) == opening_type) {
      report.Note(view_.SpanAt(opening), "the bracket opened here");
    }
  }

  std::string Expected() const {
    if (problem_.expected->isEmpty()) return "a name";  // after the comma of a list
    if (Expects(IdslParser::INTEGER)) return "an expression";
    if (Expects(IdslParser::KW_CONSTANT) && !AtItems()) return "a boundary mode";
    if (Expects(IdslParser::ASSIGN) && Expects(IdslParser::PLUS_ASSIGN)) {
      return Expects(IdslParser::LPAREN) ? "'=' or '('" : "'='";
    }
    if (AtItems()) {
      const bool in_stencil =
          Rule() == IdslParser::RuleStencil || Rule() == IdslParser::RuleStencilItem;
      const bool in_iterate = Rule() == IdslParser::RuleCallItem;
      return in_stencil ? "a statement" : in_iterate ? "a call" : "a section, a stencil or a call";
    }
    if (Expects(IdslParser::ID)) return "a name";
    std::string list;
    for (std::size_t token_type = 1; token_type <= IdslParser::NOT; ++token_type) {
      if (!Expects(token_type)) continue;
      list.append(list.empty() ? "" : " or ").append(view_.Spelling(token_type));
    }
    return list;
  }

  const SyntaxProblem& problem_;
  TokenView view_;
  DiagnosticSink& sink_;
};

}  // namespace

Repair ReportSyntaxProblem(const SyntaxProblem& problem, const Scanner& scanner,
                           DiagnosticSink& sink) {
  return Explainer(problem, scanner, sink).Run();
}

}  // namespace stencilgen::frontend
