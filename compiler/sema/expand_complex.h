#pragma once

#include <map>
#include <string>

#include "ast/ast.h"
#include "support/diagnostics.h"

namespace stencilgen::sema {

/// A program without complex numbers, and of which names of the user's names in it are parts.
struct RealProgram {
  ast::Program program;
  std::map<std::string, std::string> wholes;  ///< `psi_re` and `psi_im` are of `psi`
};

/// Whether a complex name is declared or an imaginary number written.
bool HasComplex(const ast::Program& program);

/// Replaces each complex array, scalar, local and formal `z` by two, `z_re` and `z_im`, and each
/// assignment of a complex value by two that run together (Assignment::with_next). Products of
/// larger expressions get local scalars. Reports what complex numbers are not for; all else that is
/// wrong is left as it is.
RealProgram ExpandComplex(const ast::Program& program, DiagnosticSink& sink);

/// Reports what was found in a real program in terms of the program as it was written.
void ReportWholes(const RealProgram& real, const DiagnosticSink& found, DiagnosticSink& sink);

}  // namespace stencilgen::sema
