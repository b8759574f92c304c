#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace stencilgen::plan {

/// Every broken invariant in words, empty for a valid plan: names unique, rotations permutations of
/// buffers of one shape, every read of a version from memory that holds it, no kernel reading at
/// other points the memory it writes, every background in place, results where they are said to be.
/// Follows which version each memory holds through the steps, with 0, 1 and 2 turns of each loop.
/// Requires: graph::Verify(plan.graph) is empty.
std::vector<std::string> Verify(const Plan& plan);

}  // namespace stencilgen::plan
