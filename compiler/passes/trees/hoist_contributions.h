#pragma once

#include <cstdint>
#include <vector>

#include "passes/trees/forest.h"
#include "passes/trees/order_pressure.h"

namespace stencilgen::passes {

/// The steps that compute the values in `taking_part` (by value), contributions to accumulations
/// among them, are taken out of their place and follow, with their subtrees, the instruction with
/// which the last label that they read gets to a register ([S] 4.4). So a label serves all these
/// accumulations while it is there, in one tree or in several, and they grow side by side.
std::vector<int> HoistContributions(const Forest& forest, const std::vector<int>& order,
                                    const std::vector<bool>& taking_part);

/// Lets accumulations take part in hoisting as long as that makes the order cheaper: all, those of
/// one tree after the other, then one after the other. Lowers `budget` by the instructions priced,
/// and ends when there is none left. Ensures: the price does not grow.
std::vector<int> HoistAccumulations(const Forest& forest, std::vector<int> order,
                                    OrderPricer& pricer, std::int64_t& budget);

}  // namespace stencilgen::passes
