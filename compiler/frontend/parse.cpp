#include "frontend/parse.h"

#include <memory>

#include "IdslParser.h"
#include "frontend/build_ast.h"
#include "frontend/clean_source.h"
#include "frontend/error_strategy.h"
#include "frontend/scanner.h"

namespace stencilgen {

std::optional<ast::Program> Parse(const SourceFile& source, DiagnosticSink& sink) {
  if (!frontend::HasLegalSize(source, sink)) return std::nullopt;
  if (!frontend::HasLegalEncoding(source, sink)) return std::nullopt;
  const std::size_t errors_before = sink.ErrorCount();
  const frontend::CleanText clean = frontend::CleanSource(source, sink);
  if (sink.ErrorCount() - errors_before >= frontend::ErrorStrategy::kMaxSyntaxErrors) {
    return std::nullopt;
  }
  frontend::Scanner scanner(clean.text, sink);
  if (!scanner.Parsable()) return std::nullopt;

  idsl_grammar::IdslParser parser(scanner.tokens());
  parser.removeErrorListeners();
  parser.setErrorHandler(std::make_shared<frontend::ErrorStrategy>(scanner, clean.removed, sink));
  // Every decision of the grammar is settled by the next two tokens, whatever the context.
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::SLL);
  idsl_grammar::IdslParser::ProgramContext* tree = nullptr;
  try {
    tree = parser.program();
  } catch (const antlr4::ParseCancellationException&) {
    return std::nullopt;  // too many errors, all reported
  }
  if (sink.ErrorCount() > errors_before) return std::nullopt;
  ast::Program program = frontend::BuildProgram(tree, clean.text, sink);
  if (sink.ErrorCount() > errors_before) return std::nullopt;
  return program;
}

}  // namespace stencilgen
