#pragma once

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// Cuts the program into segments, and gives each value that outlives one an array to be in. Sets
/// segment sources, fields and steps; the steps have no exchanges yet. Loops of statements alone
/// run `program.together` turns at a time; one turn at a time they are loops of the host. Requires:
/// graph and grid are set.
void CutIntoSegments(Distributed& program);

}  // namespace stencilgen::distribute
