#pragma once

#include <cstdint>
#include <vector>

#include "passes/trees/forest.h"
#include "passes/trees/order_pressure.h"

namespace stencilgen::passes {

/// The maximal expression that reads nothing but labels in `seen` and elements that nothing else
/// reads, grown from `step` ([S] Algorithm 4.3), as its steps in an order of evaluation. Grown
/// through an accumulation where all its contributions are such, else cut off at the contribution.
/// Steps in `done` are evaluated already. Empty where `step` itself reads more.
std::vector<int> MaximalExpression(const Forest& forest, int step, const LabelSet& seen,
                                   const std::vector<bool>& done);

/// [S] Algorithm 4.3: after each instruction of the order in turn, expressions that read one of its
/// labels, and nothing that is not in a register by then, are moved there from further down, where
/// that makes the order cheaper. Lowers `budget` by the instructions priced, about, and ends when
/// there is none left. Ensures: the price does not grow.
std::vector<int> SliceExpressions(const Forest& forest, std::vector<int> order, OrderPricer& pricer,
                                  std::int64_t& budget);

}  // namespace stencilgen::passes
