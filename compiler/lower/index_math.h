#pragma once

#include <vector>

#include "kernel/expr.h"

/// Arithmetic of positions.
namespace stencilgen::lower {

kernel::Expr FloorDiv(const kernel::Expr& a, const kernel::Expr& b);
kernel::Expr CeilDiv(const kernel::Expr& a, const kernel::Expr& b);
/// Of those that differ as text. Requires: there is one.
kernel::Expr Largest(std::vector<kernel::Expr> values);
kernel::Expr Least(std::vector<kernel::Expr> values);
/// The same for a device, which has them of two values; all have the type of the first.
kernel::Expr LargestHere(std::vector<kernel::Expr> values);
kernel::Expr LeastHere(std::vector<kernel::Expr> values);
/// `Min(a, b)` where both are positions or numbers.
kernel::Expr LesserPosition(const kernel::Expr& a, const kernel::Expr& b);

}  // namespace stencilgen::lower
