#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Divides once by what several divisions of an operator have below, or what is the same for whole
/// rows of points, and multiplies:
///
///     before: v = (u[i+1] - u[i-1])/(2*dx)
///     after:  inverse = 1/(2*dx); v = (u[i+1] - u[i-1])*inverse
///
/// A division costs what ten products do; one of a row is made outside of its loop. Changes
/// rounding, so for `--fp fast` only. Divisors that are literals (UseReciprocals) or roots, by
/// which targets divide in other ways, are left alone, and what only one branch of a choice may
/// read.
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is; each value changed by at most one
/// more rounding of each division.
graph::Graph ShareDivisors(graph::Graph graph);

}  // namespace stencilgen::passes
