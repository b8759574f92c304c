// The order of the contributions of one accumulation that share labels.
#include <algorithm>
#include <numeric>
#include <utility>

#include "passes/trees/schedule_tree.h"
#include "passes/trees/search_orders.h"

namespace stencilgen::passes {
namespace {

/// The most children of a sub-partition (p of [S] 4.3.3).
constexpr int kPartition = 7;

}  // namespace

const TreeSchedule& TreeScheduler::Group(const Item& item, const LabelSet& in, const LabelSet& out,
                                         bool first) {
  const Key key{4 * item.id + (first ? 2 : 3), in & item.uses, out & item.uses};
  const auto found = known_.find(key);
  if (found != known_.end()) return *found->second;
  auto schedule = std::make_unique<TreeSchedule>(Arrange(item.parts, key.in, key.out, first));
  return *(known_[key] = std::move(schedule));
}

/// The most registers while the item is evaluated, with that of the accumulation.
int TreeScheduler::ItemPeak(const Item& item, const LabelSet& in, const LabelSet& out, bool first) {
  const int others = in.CountWithout(item.uses);
  if (!item.parts.empty()) return Group(item, in, out, first).peak + others;
  const int before = OfStep(item.step, in & item.uses, out & item.uses).peak + others;
  return std::max(before + (first ? 0 : 1), out.Count() + 1);
}

TreeSchedule TreeScheduler::Arrange(const std::vector<Item>& items, const LabelSet& in,
                                    const LabelSet& out, bool first) {
  std::vector<LabelSet> uses;
  uses.reserve(items.size());
  for (const Item& item : items) uses.push_back(item.uses);
  const SearchProblem problem{uses, in, out, LowerBound(items, in, out, first), options_.slack};
  const ChildCost cost = [&](int child, const LabelSet& before, const LabelSet& after, bool leads) {
    return ItemPeak(items[At(child)], before, after, first && leads);
  };
  FoundOrder found;
  if (items.size() <= static_cast<std::size_t>(kExhaustive)) {
    found = SearchOrders(problem, cost, budget_);
  } else {
    found.order.resize(items.size());
    std::iota(found.order.begin(), found.order.end(), 0);
    found.peak = PeakOfOrder(problem, found.order, cost);
  }
  // Once more, for the orders of the children in their contexts.
  TreeSchedule schedule{found.peak, {}};
  PeakOfOrder(problem, found.order,
              [&](int child, const LabelSet& before, const LabelSet& after, bool leads) {
                const Item& item = items[At(child)];
                const TreeSchedule& own =
                    item.parts.empty() ? OfStep(item.step, before & item.uses, after & item.uses)
                                       : Group(item, before, after, first && leads);
                schedule.order.insert(schedule.order.end(), own.order.begin(), own.order.end());
                return 0;
              });
  return schedule;
}

/// What any order takes: what is live at its ends, and what one step reads beside what stays live.
int TreeScheduler::LowerBound(const std::vector<Item>& items, const LabelSet& in,
                              const LabelSet& out, bool first) const {
  const LabelSet passthrough = in & out;
  int bound = std::max(in.Count() + (first ? 0 : 1), out.Count() + 1);
  for (const Item& item : items) {
    if (item.step < 0) continue;
    const Step& step = forest_.steps[At(item.step)];
    const int held = static_cast<int>(step.subtrees.size()) + (first ? 0 : 1);
    bound = std::max(bound, (step.labels | passthrough).Count() + step.loads + held);
  }
  return bound;
}

std::vector<TreeScheduler::Item> TreeScheduler::Partition(const std::vector<Item>& items,
                                                          const LabelSet& out, bool by_release) {
  std::vector<LabelSet> uses;
  uses.reserve(items.size());
  for (const Item& item : items) uses.push_back(item.uses);
  const auto groups = by_release ? PartitionByRelease(uses, out, forest_.label_count(), kPartition)
                                 : PartitionByAffinity(uses, kPartition);
  std::vector<Item> result;
  for (const std::vector<int>& group : groups) {
    Item item;
    item.uses = LabelSet(forest_.label_count());
    item.id = next_group_++;
    for (int child : group) {
      item.parts.push_back(items[At(child)]);
      item.uses |= uses[At(child)];
    }
    result.push_back(std::move(item));
  }
  return result;
}

TreeSchedule TreeScheduler::ArrangeCluster(const std::vector<Item>& items, const LabelSet& in,
                                           const LabelSet& out, bool first) {
  if (items.size() <= static_cast<std::size_t>(kExhaustive)) return Arrange(items, in, out, first);
  TreeSchedule best = Arrange(items, in, out, first);  // as they are
  for (const bool by_release : {false, true}) {
    std::vector<Item> groups = items;
    while (groups.size() > static_cast<std::size_t>(kExhaustive)) {
      groups = Partition(groups, out, by_release);
    }
    TreeSchedule schedule = Arrange(groups, in, out, first);
    if (schedule.peak < best.peak) best = std::move(schedule);
  }
  return best;
}

}  // namespace stencilgen::passes
