#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ast/ast.h"
#include "support/diagnostics.h"

namespace stencilgen::sema {

/// What the two arrays or scalars of a complex one are called.
inline std::string RealPart(const std::string& name) {
  return name + "_re";
}
inline std::string ImaginaryPart(const std::string& name) {
  return name + "_im";
}

/// Which names of a program are complex. A formal is where some call passes what is.
class ComplexNames {
 public:
  /// Reports `type-clash` where one call passes a complex array and another a real one,
  /// `wrong-argument-count`, `complex-type`, and `redeclaration` of what a complex name makes.
  /// Requires: `program` outlives this.
  ComplexNames(const ast::Program& program, DiagnosticSink& sink);

  /// At program level.
  const std::set<std::string>& OfProgram() const { return program_names_; }
  /// In a stencil's body: its own names hide those of the program.
  std::set<std::string> OfStencil(const ast::Stencil& stencil) const;
  bool IsCalled(const std::string& stencil) const { return called_.count(stencil) > 0; }
  /// By formal; empty where no stencil has the name.
  const std::vector<bool>& FormalsOf(const std::string& stencil) const;
  /// All names of the program, whatever they stand for.
  const std::set<std::string>& taken() const { return taken_; }
  /// All complex names, whatever their scopes.
  const std::set<std::string>& all() const { return all_; }

 private:
  struct Formals {
    const ast::Stencil* stencil = nullptr;
    std::vector<bool> complex;
    std::vector<Span> first;  ///< where a complex actual is passed
  };

  void Declare(const ast::Declaration& declaration, std::set<std::string>& names);
  void Collect(const std::vector<ast::CallItem>& items);
  void Bind(const ast::StencilCall& call);
  void Check(const ast::StencilCall& call);
  bool IsComplex(ast::ExprId actual) const;
  bool IsReal(ast::ExprId actual) const;

  const ast::Program& program_;
  DiagnosticSink& sink_;
  std::set<std::string> program_names_, real_names_, taken_, all_, called_;
  std::map<std::string, Formals> stencils_;
  std::vector<const ast::StencilCall*> calls_;
};

/// Whether the expression has an imaginary literal.
bool HasImaginary(const ast::Program& program, ast::ExprId root);

}  // namespace stencilgen::sema
