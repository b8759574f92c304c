#pragma once

#include <cstdint>
#include <vector>

#include "kernel/body.h"
#include "passes/trees/forest.h"
#include "passes/trees/order_pressure.h"

namespace stencilgen::passes {

/// Contributions to the accumulations at the roots of `trees` (by tree: take part) are taken out of
/// their place and follow the instruction with which the last label that they read gets to a
/// register ([S] 4.4, across trees). So a label serves all these trees while it is there, and their
/// accumulations grow side by side.
std::vector<int> HoistContributions(const Forest& forest, const std::vector<int>& order,
                                    const std::vector<bool>& trees);

/// The maximal expression that reads nothing but labels in `seen` and elements that nothing else
/// reads, grown from `step` ([S] Algorithm 4.3), as its steps in an order of evaluation. Grown
/// through an accumulation where all its contributions are such, else cut off at the contribution.
/// Steps in `done` are evaluated already. Empty where `step` itself reads more.
std::vector<int> MaximalExpression(const Forest& forest, int step, const LabelSet& seen,
                                   const std::vector<bool>& done);

/// Moves parts of trees forward where that makes the order cheaper: first whole trees'
/// contributions, then one expression at a time, after each instruction of the order in turn.
/// `budget` bounds the work, in instructions priced. Ensures: the order's price does not grow.
std::vector<int> SliceAndInterleave(const Forest& forest, std::vector<int> order,
                                    OrderPricer& pricer, std::int64_t budget);

}  // namespace stencilgen::passes
