#pragma once

#include <optional>
#include <string>

#include "frontend/parse.h"

namespace stencilgen::testing {

/// A source, what parsing it gave, and what was said.
struct Parsed {
  SourceFile source;
  DiagnosticSink sink;
  std::optional<ast::Program> program;

  explicit Parsed(std::string text)
      : source("test.idsl", std::move(text)), program(Parse(source, sink)) {}

  std::string Messages() const { return RenderText(source, sink.diagnostics(), 0, false); }
};

/// A program whose one stencil assigns the expression. Its value is the last expression's.
inline std::string ProgramWith(const std::string& expression) {
  return "stencil s (A) {\n  A[i] = " + expression + ";\n}\n";
}

inline ast::ExprId ValueOf(const ast::Program& program) {
  return std::get<ast::Assignment>(program.stencils.at(0).items.at(0)).value;
}

}  // namespace stencilgen::testing
