#include "passes/reorder_trees.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "kernel/uses.h"
#include "passes/trees/forest.h"
#include "passes/trees/order_pressure.h"
#include "passes/trees/order_trees.h"
#include "passes/trees/schedule_forest.h"
#include "passes/trees/slice_and_interleave.h"

namespace stencilgen::passes {
namespace {

/// Instructions priced while parts of trees are moved, for each order of the trees.
constexpr std::int64_t kInterleavingWork = 60'000'000;

}  // namespace

kernel::Body ReorderTrees(kernel::Body body, const TreesOptions& options) {
  const Forest forest = BuildForest(body);
  OrderPricer pricer(body);
  std::vector<int> best(body.instructions.size());
  for (std::size_t k = 0; k < best.size(); ++k) best[k] = static_cast<int>(k);
  OrderCost cost = pricer.Price(best);
  bool changed = false;
  for (const std::vector<int>& trees : {OrderTrees(body, forest), OrderTreesByNeed(forest)}) {
    std::vector<int> order = ScheduleForest(forest, trees, options).order;
    order = SliceAndInterleave(forest, std::move(order), pricer, kInterleavingWork);
    const OrderCost now = pricer.Price(order);
    if (now >= cost) continue;
    cost = now;
    best = std::move(order);
    changed = true;
  }
  if (!changed) return body;
  return kernel::InOrder(std::move(body), {best.begin(), best.end()});
}

}  // namespace stencilgen::passes
