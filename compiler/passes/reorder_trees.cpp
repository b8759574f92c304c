#include "passes/reorder_trees.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "kernel/uses.h"
#include "passes/trees/flatten_sums.h"
#include "passes/trees/forest.h"
#include "passes/trees/order_pressure.h"
#include "passes/trees/order_units.h"
#include "passes/trees/schedule_units.h"
#include "passes/trees/slice_and_interleave.h"

namespace stencilgen::passes {
namespace {

/// Instructions priced while parts of trees are moved, for each order of the units.
constexpr std::int64_t kInterleavingWork = 60'000'000;
/// The cubic order by affinity is for no more units than this.
constexpr std::size_t kMostByAffinity = 400;

using Order = std::vector<int>;

Order GivenOrder(const kernel::Body& body) {
  Order order(body.instructions.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Orders in which units are atomic: whole trees, then smaller and smaller parts of them.
std::set<Order> AtomicOrders(const kernel::Body& body, const TreesOptions& options) {
  const Forest whole = BuildForest(body);
  const int steps = static_cast<int>(body.instructions.size());
  std::set<Order> orders;
  for (const int most_steps : {steps, steps / 8, steps / 32, 4}) {
    const Forest forest = BuildForest(body, LargeAccumulations(whole, most_steps));
    const std::vector<Unit> units = MakeUnits(forest, most_steps);
    std::vector<std::vector<int>> unit_orders = {OrderByNeed(units), OrderByRelease(forest, units)};
    if (units.size() <= kMostByAffinity) {
      unit_orders.push_back(OrderByAffinity(body, forest, units));
    }
    for (const std::vector<int>& order : unit_orders) {
      orders.insert(ScheduleUnits(forest, units, order, options).order);
    }
  }
  return orders;
}

}  // namespace

kernel::Body ReorderTrees(kernel::Body body, const TreesOptions& options) {
  const OrderCost given = OrderPricer(body).Price(GivenOrder(body));
  kernel::Body flat = FlattenSums(body);
  const Forest forest = BuildForest(flat);
  OrderPricer pricer(flat);
  Order best = GivenOrder(flat);
  OrderCost cost = pricer.Price(best);
  for (const Order& atomic : AtomicOrders(flat, options)) {
    Order order = SliceAndInterleave(forest, atomic, pricer, kInterleavingWork);
    const OrderCost now = pricer.Price(order);
    if (now >= cost) continue;
    cost = now;
    best = std::move(order);
  }
  if (cost.peak >= given.peak) return body;
  return kernel::InOrder(std::move(flat), {best.begin(), best.end()});
}

}  // namespace stencilgen::passes
