#pragma once

#include "graph/graph.h"

namespace stencilgen::passes {

/// Replaces floating-point divisions by literals with products by their reciprocals, which cost a
/// tenth: `sum/118.0` becomes `sum*0.00847...`. Changes rounding, so for `--fp fast` only.
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is; each value changed by at most one
/// rounding of the reciprocal. A literal whose reciprocal is not a normal number is left alone.
graph::Graph UseReciprocals(graph::Graph graph);

}  // namespace stencilgen::passes
