#include "passes/trees/schedule_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "passes/trees/clusters.h"

namespace stencilgen::passes {
namespace {

/// More operands than this are evaluated by falling Sethi-Ullman number, without a search.
constexpr std::size_t kMostOperandOrders = 4;

}  // namespace

TreeSchedule TreeScheduler::Schedule(int value, const LabelSet& in, const LabelSet& out) {
  budget_ = options_.max_permutations;
  const LabelSet& uses = forest_.uses[At(value)];
  TreeSchedule schedule = Value(value, in & uses, out & uses);
  schedule.peak += in.CountWithout(uses);
  return schedule;
}

TreeSchedule TreeScheduler::ScheduleContribution(int step, const LabelSet& in, const LabelSet& out,
                                                 bool first) {
  budget_ = options_.max_permutations;
  const Item item{step, {}, forest_.steps[At(step)].uses, step};
  return {ItemPeak(item, in, out, first), OfStep(step, in & item.uses, out & item.uses).order};
}

const TreeSchedule& TreeScheduler::Value(int value, const LabelSet& in, const LabelSet& out) {
  const Key key{4LL * value, in, out};
  const auto found = known_.find(key);
  if (found != known_.end()) return *found->second;
  const std::vector<int>& steps = forest_.steps_of[At(value)];
  TreeSchedule schedule;
  if (steps.size() == 1) {
    schedule = OfStep(steps[0], in, out);
    schedule.peak = std::max(schedule.peak, out.Count() + 1);
  } else {
    schedule = EvaluateAccumulation(value, in, out);
  }
  return *(known_[key] = std::make_unique<TreeSchedule>(std::move(schedule)));
}

/// The peak until the operation, without its result.
const TreeSchedule& TreeScheduler::OfStep(int step, const LabelSet& in, const LabelSet& out) {
  const Key key{4LL * step + 1, in, out};
  const auto found = known_.find(key);
  if (found != known_.end()) return *found->second;
  auto schedule =
      std::make_unique<TreeSchedule>(EvaluateStep(forest_.steps[At(step)], step, in, out));
  return *(known_[key] = std::move(schedule));
}

TreeSchedule TreeScheduler::EvaluateStep(const Step& step, int index, const LabelSet& in,
                                         const LabelSet& out) {
  std::vector<int> subtrees = step.subtrees;
  TreeSchedule best;
  if (subtrees.size() <= 1) {
    best = EvaluateOperands(step, subtrees, in, out);
  } else if (subtrees.size() <= kMostOperandOrders) {
    best.peak = std::numeric_limits<int>::max();
    do {
      TreeSchedule schedule = EvaluateOperands(step, subtrees, in, out);
      --budget_;
      if (schedule.peak < best.peak) best = std::move(schedule);
    } while (std::next_permutation(subtrees.begin(), subtrees.end()));
  } else {
    std::stable_sort(subtrees.begin(), subtrees.end(), [&](int a, int b) {
      return SethiUllman(forest_, a) > SethiUllman(forest_, b);
    });
    best = EvaluateOperands(step, subtrees, in, out);
  }
  best.order.push_back(index);
  return best;
}

/// The subtrees one after the other, then the elements that the step itself reads.
TreeSchedule TreeScheduler::EvaluateOperands(const Step& step, const std::vector<int>& subtrees,
                                             const LabelSet& in, const LabelSet& out) {
  std::vector<LabelSet> needed(subtrees.size() + 1, out | step.labels);
  for (std::size_t k = subtrees.size(); k-- > 0;) {
    needed[k] = needed[k + 1] | forest_.uses[At(subtrees[k])];
  }
  TreeSchedule schedule;
  LabelSet live = in;
  int held = 0;
  for (std::size_t k = 0; k < subtrees.size(); ++k, ++held) {
    const LabelSet& uses = forest_.uses[At(subtrees[k])];
    const LabelSet after = (live | uses) & needed[k + 1];
    const TreeSchedule& child = Value(subtrees[k], live & uses, after & uses);
    schedule.peak = std::max(schedule.peak, held + live.CountWithout(uses) + child.peak);
    schedule.order.insert(schedule.order.end(), child.order.begin(), child.order.end());
    live = after;
  }
  live |= step.labels;
  schedule.peak = std::max(schedule.peak, live.Count() + step.loads + held);
  return schedule;
}

TreeSchedule TreeScheduler::EvaluateAccumulation(int value, const LabelSet& in,
                                                 const LabelSet& out) {
  std::vector<Item> items;
  std::vector<LabelSet> uses;
  for (int step : forest_.steps_of[At(value)]) {
    items.push_back({step, {}, forest_.steps[At(step)].uses, step});
    uses.push_back(items.back().uses);
  }
  std::vector<ArrangedCluster> clusters;
  for (const std::vector<int>& children : MaximalClusters(uses, in & out)) {
    std::vector<Item> members;
    LabelSet labels(forest_.label_count());
    for (int child : children) {
      labels |= uses[At(child)];
      members.push_back(items[At(child)]);
    }
    const LabelSet after = (in | labels) - (labels - out);
    ArrangedCluster cluster;
    cluster.first = ArrangeCluster(members, in, after, true);
    cluster.later = ArrangeCluster(members, in, after, false);
    cluster.in = in.Count();
    cluster.out = after.Count();
    clusters.push_back(std::move(cluster));
  }
  return JoinClusters(std::move(clusters), in.Count());
}

/// The theorems order clusters that all come after another child. The one with the most registers
/// is tried as the first as well, where the accumulation takes no register yet.
TreeSchedule TreeScheduler::JoinClusters(std::vector<ArrangedCluster> clusters, int live) const {
  std::vector<ClusterCost> costs;
  costs.reserve(clusters.size());
  for (const ArrangedCluster& each : clusters) {
    costs.push_back({each.in, each.out, each.later.peak});
  }
  std::vector<int> order = OrderClusters(costs);
  int highest = 0;  // place of the peak
  const auto peak_of = [&](const std::vector<int>& places) {
    int peak = 0, now = live;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const ArrangedCluster& cluster = clusters[At(places[k])];
      const int own = (k == 0 ? cluster.first : cluster.later).peak + now - cluster.in;
      if (own > peak) {
        peak = own;
        highest = static_cast<int>(k);
      }
      now += cluster.out - cluster.in;
    }
    return peak;
  };
  int peak = peak_of(order);
  if (highest > 0) {
    std::vector<int> other = order;
    std::rotate(other.begin(), other.begin() + highest, other.begin() + highest + 1);
    const int other_peak = peak_of(other);
    if (other_peak < peak) {
      peak = other_peak;
      order = std::move(other);
    }
  }
  TreeSchedule schedule{peak, {}};
  for (std::size_t k = 0; k < order.size(); ++k) {
    const ArrangedCluster& cluster = clusters[At(order[k])];
    const std::vector<int>& steps = (k == 0 ? cluster.first : cluster.later).order;
    schedule.order.insert(schedule.order.end(), steps.begin(), steps.end());
  }
  return schedule;
}

}  // namespace stencilgen::passes
