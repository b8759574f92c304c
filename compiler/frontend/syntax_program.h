#pragma once

#include "ast/ast.h"
#include "graph/program.h"

namespace stencilgen {

/// A program whose syntax has been made: what front ends that end in an ast::Program hand over.
graph::Program ProgramOf(ast::Program syntax);

}  // namespace stencilgen
