#pragma once

#include <vector>

#include "graph/linear.h"
#include "kernel/expr.h"

namespace stencilgen::lower {

/// A form in terms of variables, by parameter index; terms that are added come first.
kernel::Expr FormOf(const graph::LinearForm& form, const std::vector<kernel::VarRef>& vars);

}  // namespace stencilgen::lower
