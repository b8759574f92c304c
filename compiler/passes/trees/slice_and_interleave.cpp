#include "passes/trees/slice_and_interleave.h"

#include <utility>

#include "passes/trees/hoist_contributions.h"
#include "passes/trees/slice_expressions.h"

namespace stencilgen::passes {

std::vector<int> SliceAndInterleave(const Forest& forest, std::vector<int> order,
                                    OrderPricer& pricer, std::int64_t budget) {
  OrderCost cost = pricer.Price(order);
  while (budget > 0) {
    order = HoistAccumulations(forest, std::move(order), pricer, budget);
    order = SliceExpressions(forest, std::move(order), pricer, budget);
    const OrderCost now = pricer.Price(order);
    if (now >= cost) break;
    cost = now;
  }
  return order;
}

}  // namespace stencilgen::passes
