#pragma once

#include "distribute/distributed.h"
#include "distribute/local_operators.h"

namespace stencilgen::distribute {

/// Makes what an operator that every rank computes reads of arrays that ranks share local: an
/// element that is one of the rank's own, and 0 where it is another one's. So the results of all
/// ranks together, bit by bit, are those of one machine. Boundary modes mean what they mean for the
/// whole array. Requires: forms of own points are there.
void ReadOwnElements(graph::Graph& graph, const Grid& grid, const LocalForms& forms,
                     graph::Operator& op);

}  // namespace stencilgen::distribute
