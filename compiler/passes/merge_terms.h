#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Adds up the coefficients of an element that a sum has several times, which saves a
/// multiplication and an addition each: `u + 0.125*(a - 2*u + b) + 0.125*(c - 2*u + d)` becomes
/// `0.5*u + 0.125*(a + b + c + d)`. Literal factors of sums are multiplied into their terms for it;
/// terms of equal coefficients stand together. A value that scales several sums which have elements
/// in common scales their sum: `alpha*(a - 2*u + b) + alpha*(c - 2*u + d)` becomes
/// `alpha*(a + b + c + d - 4*u)`. A sum in which nothing occurs twice stays as it is.
/// Changes rounding, so for `--fp fast` only, after UseReciprocals and before FoldScale.
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is; no operator has more flops than
/// before. Coefficients that the type cannot hold stay, with their sum.
graph::Graph MergeTerms(graph::Graph graph);

}  // namespace stencilgen::passes
