#pragma once

#include "ast/ast.h"
#include "graph/program.h"

namespace stencilgen {

/// What the program declares, as far as it declares it: names that are wrong are left to
/// BuildGraph.
graph::ProgramInterface InterfaceOf(const ast::Program& program);

}  // namespace stencilgen
