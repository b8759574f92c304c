#pragma once

#include "ast/ast.h"

namespace stencilgen::testing {

/// The same syntax, wherever it stands in its file.
bool SameProgram(const ast::Program& a, const ast::Program& b);
bool SameExpr(const ast::Program& a, ast::ExprId in_a, const ast::Program& b, ast::ExprId in_b);

}  // namespace stencilgen::testing
