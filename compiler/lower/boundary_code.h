#pragma once

#include <vector>

#include "graph/graph.h"
#include "kernel/expr.h"

/// What boundary modes make of reads.
namespace stencilgen::lower {

/// Maps an index to the element that the mode reads there; of `constant` to the nearest inside.
/// Requires: there is a mode.
kernel::Routine BoundaryRoutine(graph::BoundaryKind kind);

/// An element has another value where the condition does not hold.
struct Guard {
  kernel::Expr condition;
  double otherwise = 0;
};

/// The element, or the value of the first guard that does not hold.
kernel::Expr Guarded(kernel::Expr element, const std::vector<Guard>& guards);

/// True where the array has an element, whatever its sizes.
bool HasElements(const graph::Array& array);

}  // namespace stencilgen::lower
