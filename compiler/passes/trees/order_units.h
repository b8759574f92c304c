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

/// How OrderByRelease chooses.
struct ReleaseRule {
  /// All units of an unrolled point come before those of the next.
  bool by_point = false;
  /// The uses of live labels count against the growth, in part, instead of only among equals.
  bool weighted = false;
};
/// Each time the unit after which the fewest values are live; of equals one that goes on with an
/// accumulation, then one that brings live labels nearest to their last use.
std::vector<int> OrderByRelease(const Forest& forest, const std::vector<Unit>& units,
                                const ReleaseRule& rule);

}  // namespace stencilgen::passes
