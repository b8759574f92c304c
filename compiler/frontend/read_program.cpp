#include "frontend/read_program.h"

#include <memory>
#include <utility>

#include "ast/print.h"
#include "frontend/parse.h"
#include "frontend/syntax_program.h"
#include "sema/build_graph.h"
#include "sema/interface.h"

namespace stencilgen {

std::optional<graph::Program> ReadProgram(const SourceFile& source, DiagnosticSink& sink) {
  std::optional<ast::Program> parsed = Parse(source, sink);
  if (!parsed) return std::nullopt;
  return ProgramOf(*std::move(parsed));
}

graph::Program ProgramOf(ast::Program made) {
  const auto syntax = std::make_shared<const ast::Program>(std::move(made));
  graph::Program program;
  program.interface = InterfaceOf(*syntax);
  for (const ast::Declaration& declaration : syntax->declarations) {
    if (!declaration.complex) continue;
    for (const ast::Declarator& each : declaration.declarators) {
      program.complex.insert(each.name.text);
    }
  }
  program.print = [syntax] { return ast::Print(*syntax); };
  program.build = [syntax](const graph::GraphOptions& options, DiagnosticSink& to) {
    return BuildGraph(*syntax, options, to);
  };
  return program;
}

}  // namespace stencilgen
