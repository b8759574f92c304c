#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Multiplies a literal factor of a whole sum into the coefficients of its terms, which saves a
/// multiplication a point: `(5*a + 12*b)*0.01` becomes `0.05*a + 0.12*b`. A sum with a term that
/// has no literal to take the factor stays as it is: it would gain as much as it saves. Changes
/// rounding, so for `--fp fast` only, after UseReciprocals.
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is; no operator has more flops than
/// before; each coefficient is rounded once more. Coefficients that would overflow or lose digits
/// to underflow stay, with their sum.
graph::Graph FoldScale(graph::Graph graph);

}  // namespace stencilgen::passes
