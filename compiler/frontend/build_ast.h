#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "IdslParser.h"
#include "ast/ast.h"
#include "support/diagnostics.h"

namespace stencilgen::frontend {

/// Reports everything that the grammar takes but the language does not (misplaced assignments,
/// literals that do not fit, expressions that are too deep).
/// Requires: the tree has no syntax error; `text` is what was scanned.
ast::Program BuildProgram(idsl_grammar::IdslParser::ProgramContext* tree, std::string_view text,
                          DiagnosticSink& sink);

inline Span SpanOf(const antlr4::Token* token) {
  return {static_cast<std::uint32_t>(token->getStartIndex()),
          static_cast<std::uint32_t>(token->getStopIndex() + 1)};
}
inline Span SpanOf(const antlr4::ParserRuleContext* context) {
  return {static_cast<std::uint32_t>(context->start->getStartIndex()),
          static_cast<std::uint32_t>(context->stop->getStopIndex() + 1)};
}

/// Builds expressions bottom-up into a program's store. Uses no stack for chains of operators; the
/// depth of what it makes is at most kMaxExpressionDepth.
class ExprBuilder {
 public:
  ExprBuilder(ast::Program* program, std::string_view text, DiagnosticSink* sink)
      : program_(program), text_(text), sink_(sink) {}

  ast::ExprId Build(idsl_grammar::IdslParser::ExprContext* context);
  std::vector<ast::ExprId> Build(idsl_grammar::IdslParser::ArgumentsContext* context);
  /// `[a][b,c]` as one list.
  std::vector<ast::ExprId> Build(
      const std::vector<idsl_grammar::IdslParser::SubscriptContext*>& subscripts);
  /// A reference to a name, with indices where there are any.
  ast::ExprId Reference(ast::Name name, std::vector<ast::ExprId> indices, Span span);
  ast::Name NameOf(idsl_grammar::IdslParser::NameContext* context) const;

  ast::ExprId Integer(const antlr4::Token* token);

 private:
  ast::ExprId Operation(idsl_grammar::IdslParser::OperationContext* context);
  ast::ExprId Factor(idsl_grammar::IdslParser::FactorContext* context);
  ast::ExprId Primary(idsl_grammar::IdslParser::PrimaryContext* context);
  ast::ExprId Floating(const antlr4::Token* token);
  ast::ExprId Signed(antlr4::ParserRuleContext* context, std::size_t sign_count,
                     ast::ExprId operand);
  ast::ExprId Add(ast::Expr expr, std::span<const ast::ExprId> children);
  ast::ExprId AddBinary(BinaryOp op, ast::ExprId lhs, ast::ExprId rhs);
  std::string_view TextOf(const antlr4::Token* token) const;

  ast::Program* program_;
  std::string_view text_;
  DiagnosticSink* sink_;
  std::vector<int> depths_;  // by ExprId
};

}  // namespace stencilgen::frontend
