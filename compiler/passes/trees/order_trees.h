#pragma once

#include <vector>

#include "kernel/body.h"
#include "passes/trees/forest.h"

namespace stencilgen::passes {

/// By tree, as places in Forest::roots: the trees whose results it reads, ascending.
std::vector<std::vector<int>> TreeDependences(const Forest& forest);

/// The trees in an order that keeps those together that share labels ([S] 4.3.4, Algorithm 4.2).
/// Of all pairs of groups of trees without a path between them, the one with most common labels,
/// then most common arrays, is joined to one group, in which the one follows the other, until no
/// pair shares anything; the groups are then sorted topologically.
std::vector<int> OrderTrees(const kernel::Body& body, const Forest& forest);

/// The trees in an order in which each tree that several others read comes just before the first of
/// them; the others in the body's order.
std::vector<int> OrderTreesByNeed(const Forest& forest);

}  // namespace stencilgen::passes
