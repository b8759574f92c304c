#include "passes/trees/search_orders.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "support/check.h"

namespace stencilgen::passes {
namespace {

constexpr int kUnknown = std::numeric_limits<int>::max();

/// Goes through the sets of children that come first, as bits, by growing number.
class OrderSearch {
 public:
  OrderSearch(const SearchProblem& problem, const ChildCost& cost, std::int64_t& budget)
      : problem_(problem), cost_(cost), budget_(budget), count_(problem.uses.size()) {}

  FoundOrder Run() {
    std::vector<int> given(count_);
    std::iota(given.begin(), given.end(), 0);
    best_ = {PeakOfOrder(problem_, given, cost_), given};
    std::size_t done = 0;
    for (std::size_t child = 0; child < count_; ++child) {
      done |= std::size_t{1} << child;
      best_area_ += LiveAfter(done).Count();
    }
    budget_ -= static_cast<std::int64_t>(count_);
    if (count_ > 1 && !GoodEnough(best_.peak)) Search();
    return best_;
  }

 private:
  struct State {
    int peak = kUnknown;
    int area = 0;   ///< labels live after each child, summed
    int last = -1;  ///< the child that came last
  };

  bool GoodEnough(int peak) const { return peak <= problem_.lower_bound + problem_.slack; }

  /// What is live once the children in `done` have been evaluated.
  LabelSet LiveAfter(std::size_t done) const {
    LabelSet live = problem_.in, needed = problem_.out;
    for (std::size_t child = 0; child < count_; ++child) {
      if ((done >> child & 1) != 0) {
        live |= problem_.uses[child];
      } else {
        needed |= problem_.uses[child];
      }
    }
    return live &= needed;
  }

  void Search() {
    const std::size_t all = (std::size_t{1} << count_) - 1;
    std::vector<State> states(all + 1);
    states[0].peak = 0;
    std::vector<LabelSet> live(all + 1);
    for (std::size_t done = 0; done <= all; ++done) live[done] = LiveAfter(done);
    for (std::size_t done = 0; done < all; ++done) {
      if (states[done].peak > best_.peak) continue;
      for (std::size_t child = 0; child < count_; ++child) {
        if ((done >> child & 1) != 0) continue;
        if (--budget_ < 0) return;
        const std::size_t next = done | std::size_t{1} << child;
        State state;
        state.peak = std::max(states[done].peak,
                              cost_(static_cast<int>(child), live[done], live[next], done == 0));
        state.area = states[done].area + live[next].Count();
        state.last = static_cast<int>(child);
        State& known = states[next];
        if (state.peak < known.peak || (state.peak == known.peak && state.area < known.area)) {
          known = state;
        }
      }
    }
    if (std::pair(states[all].peak, states[all].area) >= std::pair(best_.peak, best_area_)) return;
    best_.peak = states[all].peak;
    for (std::size_t done = all, k = count_; k-- > 0;) {
      best_.order[k] = states[done].last;
      done &= ~(std::size_t{1} << states[done].last);
    }
  }

  const SearchProblem& problem_;
  const ChildCost& cost_;
  std::int64_t& budget_;
  std::size_t count_;
  FoundOrder best_;
  int best_area_ = 0;
};

/// Takes children one by one into groups.
class Partitioner {
 public:
  Partitioner(std::size_t count, int size) : left_(count), size_(static_cast<std::size_t>(size)) {
    std::iota(left_.begin(), left_.end(), 0);
  }

  bool Done() const { return left_.empty(); }
  const std::vector<int>& left() const { return left_; }
  void Take(int child) {
    if (groups_.empty() || groups_.back().size() >= size_) groups_.emplace_back();
    groups_.back().push_back(child);
    left_.erase(std::find(left_.begin(), left_.end(), child));
  }
  /// The group that the next child gets into, as it is.
  std::vector<int> Open() const {
    if (groups_.empty() || groups_.back().size() >= size_) return {};
    return groups_.back();
  }
  std::vector<std::vector<int>> Groups() && { return std::move(groups_); }

 private:
  std::vector<int> left_;
  std::size_t size_;
  std::vector<std::vector<int>> groups_;
};

}  // namespace

int PeakOfOrder(const SearchProblem& problem, const std::vector<int>& order,
                const ChildCost& cost) {
  // needed[k]: labels that children from place k on read, or that are live at the end.
  std::vector<LabelSet> needed(order.size() + 1, problem.out);
  for (std::size_t k = order.size(); k-- > 0;) {
    needed[k] = needed[k + 1] | problem.uses[static_cast<std::size_t>(order[k])];
  }
  LabelSet live = problem.in;
  int peak = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const LabelSet after =
        (live | problem.uses[static_cast<std::size_t>(order[k])]) & needed[k + 1];
    peak = std::max(peak, cost(order[k], live, after, k == 0));
    live = after;
  }
  return peak;
}

FoundOrder SearchOrders(const SearchProblem& problem, const ChildCost& cost, std::int64_t& budget) {
  STENCILGEN_CHECK(problem.uses.size() <= static_cast<std::size_t>(kExhaustive));
  return OrderSearch(problem, cost, budget).Run();
}

std::vector<std::vector<int>> PartitionByAffinity(const std::vector<LabelSet>& uses, int size) {
  Partitioner partition(uses.size(), size);
  LabelSet group;
  while (!partition.Done()) {
    const bool begins = partition.Open().empty();
    int best = partition.left().front(), most = -1;
    for (int child : partition.left()) {
      if (begins) break;  // in the order of children
      const int common = uses[static_cast<std::size_t>(child)].CountCommon(group);
      if (common > most) {
        most = common;
        best = child;
      }
    }
    const LabelSet& labels = uses[static_cast<std::size_t>(best)];
    if (begins) {
      group = labels;
    } else {
      group |= labels;
    }
    partition.Take(best);
  }
  return std::move(partition).Groups();
}

std::vector<std::vector<int>> PartitionByRelease(const std::vector<LabelSet>& uses,
                                                 const LabelSet& out, int label_count, int size) {
  Partitioner partition(uses.size(), size);
  std::vector<int> users(static_cast<std::size_t>(label_count), 0);
  for (int label = 0; label < label_count; ++label) {
    if (out.Contains(label)) continue;
    for (const LabelSet& each : uses)
      users[static_cast<std::size_t>(label)] += each.Contains(label);
  }
  while (!partition.Done()) {
    int released = -1;
    for (int label = 0; label < label_count; ++label) {
      const int count = users[static_cast<std::size_t>(label)];
      if (count == 0) continue;
      if (released < 0 || count < users[static_cast<std::size_t>(released)]) released = label;
    }
    std::vector<int> taken;
    for (int child : partition.left()) {
      if (released < 0 || uses[static_cast<std::size_t>(child)].Contains(released)) {
        taken.push_back(child);
      }
    }
    for (int child : taken) {
      partition.Take(child);
      for (int label = 0; label < label_count; ++label) {
        int& count = users[static_cast<std::size_t>(label)];
        if (count > 0 && uses[static_cast<std::size_t>(child)].Contains(label)) --count;
      }
    }
  }
  return std::move(partition).Groups();
}

}  // namespace stencilgen::passes
