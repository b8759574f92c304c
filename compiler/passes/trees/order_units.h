#pragma once

#include <vector>

#include "kernel/body.h"
#include "passes/trees/units.h"

namespace stencilgen::passes {

/// Orders of units, as places in `units`, each after its producers.

/// Keeps those together that share labels ([S] 4.3.4, Algorithm 4.2): of all pairs of groups of
/// units without a path between them, the one with most common labels, then most common arrays, is
/// joined to one group, in which the one follows the other, until no pair shares anything; the
/// groups are then sorted topologically. Takes cubic time.
std::vector<int> OrderByAffinity(const kernel::Body& body, const Forest& forest,
                                 const std::vector<Unit>& units);

/// What several others read comes just before the first of them, the rest as given.
std::vector<int> OrderByNeed(const std::vector<Unit>& units);

/// Each time the unit with which the fewest values are live afterwards, and of those the one that
/// shares most labels with the live ones.
std::vector<int> OrderByRelease(const Forest& forest, const std::vector<Unit>& units);

}  // namespace stencilgen::passes
