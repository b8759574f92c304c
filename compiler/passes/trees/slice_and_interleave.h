#pragma once

#include <cstdint>
#include <vector>

#include "passes/trees/forest.h"
#include "passes/trees/order_pressure.h"

namespace stencilgen::passes {

/// Moves parts of trees forward where that makes the order cheaper ([S] 4.4), within a tree and
/// across trees: first the contributions of whole trees, then one expression at a time, until
/// nothing is gained. `budget` bounds the work, in instructions priced. Ensures: the order's price
/// does not grow.
std::vector<int> SliceAndInterleave(const Forest& forest, std::vector<int> order,
                                    OrderPricer& pricer, std::int64_t budget);

}  // namespace stencilgen::passes
