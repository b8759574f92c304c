#pragma once

#include <string>
#include <vector>

#include "graph/linear.h"
#include "kernel/expr.h"

namespace stencilgen::codegen {

/// A form in terms of variables, by parameter index; terms that are added come first.
kernel::Expr FormOf(const graph::LinearForm& form, const std::vector<kernel::VarRef>& vars);
/// The same as text, with those names.
std::string FormText(const graph::LinearForm& form, const std::vector<std::string>& names);

}  // namespace stencilgen::codegen
