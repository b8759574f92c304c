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

/// Orders priced while parts of trees are moved, for each order to begin with.
constexpr std::int64_t kInterleavingWork = 4000;
/// The cubic order by affinity is for no more units than this.
constexpr std::size_t kMostByAffinity = 300;
/// And the quadratic ones by release for no more than this.
constexpr std::size_t kMostByRelease = 2000;
/// Trees with more steps than this are taken apart: one after the other is tried.
constexpr int kMostSteps[] = {1 << 30, 56, 30, 15, 8, 4, 2};
/// Of the orders of either kind, so many are interleaved.
constexpr std::size_t kInterleaved = 4;

using Order = std::vector<int>;

Order GivenOrder(const kernel::Body& body) {
  Order order(body.instructions.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Orders in which units are atomic, cheapest first.
struct AtomicOrders {
  std::set<std::pair<OrderCost, Order>> free;      ///< units of unrolled points are mixed
  std::set<std::pair<OrderCost, Order>> by_point;  ///< one point after the other
};

AtomicOrders FindAtomicOrders(const kernel::Body& body, const Forest& whole, OrderPricer& pricer,
                              const TreesOptions& options) {
  AtomicOrders found;
  const auto coefficients =
      std::count_if(body.values.begin(), body.values.end(), kernel::IsCoefficient);
  const bool many_coefficients = coefficients > options.free_coefficients;
  std::size_t last_count = 0;
  for (const int most_steps : kMostSteps) {
    const std::vector<bool> large = LargeAccumulations(whole, most_steps);
    Forest forest = BuildForest(body, large);
    std::vector<Unit> units = MakeUnits(body, forest, most_steps);
    if (units.size() == last_count) continue;
    last_count = units.size();
    const auto add = [&](const std::vector<int>& unit_order, auto& orders) {
      Order order = ScheduleUnits(forest, units, unit_order, options).order;
      const OrderCost cost = pricer.Price(order);
      orders.insert({cost, std::move(order)});
    };
    add(OrderByNeed(units), found.by_point);
    if (units.size() <= kMostByAffinity) add(OrderByAffinity(body, forest, units), found.free);
    if (units.size() > kMostByRelease) continue;
    for (const bool weighted : {false, true}) {
      add(OrderByRelease(forest, units, {false, weighted}), found.free);
    }
    add(OrderByRelease(forest, units, {true, false}), found.by_point);
    if (!many_coefficients) continue;
    forest = BuildForest(body, large, Labels::Coefficients);
    units = MakeUnits(body, forest, most_steps);
    for (const bool weighted : {false, true}) {
      add(OrderByRelease(forest, units, {false, weighted}), found.free);
    }
    add(OrderByRelease(forest, units, {true, false}), found.by_point);
  }
  return found;
}

}  // namespace

std::vector<kernel::Body> TreeOrders(const kernel::Body& body, const TreesOptions& options) {
  const OrderCost given = OrderPricer(body, options.free_coefficients).Price(GivenOrder(body));
  const kernel::Body flat = FlattenSums(body);
  const Forest forest = BuildForest(flat);
  OrderPricer pricer(flat, options.free_coefficients);
  const auto work = kInterleavingWork * static_cast<std::int64_t>(flat.instructions.size());
  const AtomicOrders atomic = FindAtomicOrders(flat, forest, pricer, options);
  std::set<std::pair<OrderCost, Order>> orders;
  for (const auto* kind : {&atomic.free, &atomic.by_point}) {
    std::size_t count = 0;
    for (const auto& [cost, order] : *kind) {
      if (++count > kInterleaved) break;
      Order moved = SliceAndInterleave(forest, order, pricer, work);
      const OrderCost now = pricer.Price(moved);
      if (now < given) orders.insert({now, std::move(moved)});
    }
  }
  std::vector<kernel::Body> bodies;
  bodies.reserve(orders.size());
  for (const auto& [cost, order] : orders) {
    bodies.push_back(kernel::InOrder(flat, {order.begin(), order.end()}));
  }
  return bodies;
}

kernel::Body ReorderTrees(kernel::Body body, const TreesOptions& options) {
  std::vector<kernel::Body> orders = TreeOrders(body, options);
  return orders.empty() ? std::move(body) : std::move(orders.front());
}

}  // namespace stencilgen::passes
