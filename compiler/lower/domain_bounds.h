#pragma once

#include <functional>

#include "graph/graph.h"
#include "kernel/expr.h"

namespace stencilgen::lower {

/// The ends of the intervals of an operator's domain, in terms of `form`.
kernel::Expr LowerOf(const graph::Interval& interval,
                     const std::function<kernel::Expr(const graph::LinearForm&)>& form);
kernel::Expr UpperOf(const graph::Interval& interval,
                     const std::function<kernel::Expr(const graph::LinearForm&)>& form);

/// `N >= 3 && M >= 2`-like condition of the domain's guards; invalid where it has none.
kernel::Expr GuardOf(const graph::Domain& domain,
                     const std::function<kernel::Expr(const graph::LinearForm&)>& form);

}  // namespace stencilgen::lower
