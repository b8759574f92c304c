#pragma once

#include <string>

#include "ast/ast.h"

namespace stencilgen::ast {

/// The program as `.idsl` text in canonical layout. Ensures: parsing the text gives an equal AST
/// (spans aside), so printing is a fixed point.
std::string Print(const Program& program);

/// One expression with the fewest parentheses that keep its meaning.
std::string PrintExpr(const Program& program, ExprId id);

/// The same without spaces around operators, as indices and bounds are printed: `j-1`.
std::string PrintCompactExpr(const Program& program, ExprId id);

}  // namespace stencilgen::ast
