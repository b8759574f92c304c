#include "passes/trees/order_trees.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace stencilgen::passes {
namespace {

/// Sets of trees and of arrays are label sets of another kind.
using IndexSet = LabelSet;

std::size_t At(int index) {
  return static_cast<std::size_t>(index);
}

/// By tree: the arrays it reads, as indices in the order of first use.
std::vector<IndexSet> ArraysRead(const kernel::Body& body, const Forest& forest) {
  std::map<std::uint32_t, int> arrays;
  std::vector<std::vector<int>> read(forest.roots.size());
  for (const kernel::Instruction& instruction : body.instructions) {
    const int tree = forest.tree_of[instruction.dest.index];
    for (kernel::ValueId operand : instruction.operands) {
      const kernel::Value& value = body.values[operand];
      if (!kernel::TakesRegister(value) || kernel::IsTemporary(value)) continue;
      const auto version = std::get<kernel::Element>(value.what).access.version.index;
      const int next = static_cast<int>(arrays.size());
      read[At(tree)].push_back(arrays.try_emplace(version, next).first->second);
    }
  }
  std::vector<IndexSet> sets(read.size(), IndexSet(static_cast<int>(arrays.size())));
  for (std::size_t tree = 0; tree < read.size(); ++tree) {
    for (int array : read[tree]) sets[tree].Insert(array);
  }
  return sets;
}

/// Groups of trees, joined pair by pair.
class TreeGroups {
 public:
  TreeGroups(const kernel::Body& body, const Forest& forest) {
    const auto arrays = ArraysRead(body, forest);
    const auto dependences = TreeDependences(forest);
    const int count = static_cast<int>(forest.roots.size());
    for (int tree = 0; tree < count; ++tree) {
      Group group{{tree},
                  forest.uses[At(forest.roots[At(tree)])],
                  arrays[At(tree)],
                  IndexSet(count),
                  IndexSet(count)};
      for (int producer : dependences[At(tree)]) {
        group.before.Insert(producer);
        group.before |= groups_[At(producer)].before;
      }
      groups_.push_back(std::move(group));
    }
    for (int tree = 0; tree < count; ++tree) {
      for (int producer = 0; producer < tree; ++producer) {
        if (groups_[At(tree)].before.Contains(producer)) groups_[At(producer)].after.Insert(tree);
      }
    }
    metrics_.assign(groups_.size(), std::vector<Metric>(groups_.size()));
    for (int a = 0; a < count; ++a) UpdateMetrics(a);
  }

  std::vector<int> Run() {
    while (true) {
      const auto [a, b] = BestPair();
      if (a < 0) break;
      Join(a, b);
    }
    return Sorted();
  }

 private:
  struct Group {
    std::vector<int> trees;  ///< in order; empty once it has been joined to another
    IndexSet labels, arrays;
    IndexSet before, after;  ///< groups with a path to this one, and from it, by first number
  };
  /// Labels and arrays in common; {0, 0} where a path runs between the two.
  using Metric = std::pair<int, int>;

  Metric Compare(const Group& a, int b_index) const {
    const Group& b = groups_[At(b_index)];
    if (a.trees.empty() || b.trees.empty()) return {};
    if (a.before.Contains(b_index) || a.after.Contains(b_index)) return {};
    return {a.labels.CountCommon(b.labels), a.arrays.CountCommon(b.arrays)};
  }

  void UpdateMetrics(int a) {
    for (int b = 0; b < static_cast<int>(groups_.size()); ++b) {
      if (a == b) continue;
      const Metric metric = Compare(groups_[At(a)], b);
      metrics_[At(std::min(a, b))][At(std::max(a, b))] = metric;
    }
  }

  std::pair<int, int> BestPair() const {
    std::pair<int, int> best{-1, -1};
    Metric most{0, 0};
    for (std::size_t a = 0; a < groups_.size(); ++a) {
      if (groups_[a].trees.empty()) continue;
      for (std::size_t b = a + 1; b < groups_.size(); ++b) {
        if (metrics_[a][b] > most) {
          most = metrics_[a][b];
          best = {static_cast<int>(a), static_cast<int>(b)};
        }
      }
    }
    return best;
  }

  /// Makes b part of a. Whoever had a path to or from one of them now has it for both.
  void Join(int a, int b) {
    Group& into = groups_[At(a)];
    Group& from = groups_[At(b)];
    into.trees.insert(into.trees.end(), from.trees.begin(), from.trees.end());
    from.trees.clear();
    into.labels |= from.labels;
    into.arrays |= from.arrays;
    into.before |= from.before;
    into.after |= from.after;
    const IndexSet before = into.before, after = into.after;
    std::vector<int> changed{a, b};
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
      Group& group = groups_[At(g)];
      const bool precedes = before.Contains(g), follows = after.Contains(g);
      if (group.trees.empty() || (!precedes && !follows)) continue;
      if (precedes) {
        group.after.Insert(a);
        group.after |= after;
      } else {
        group.before.Insert(a);
        group.before |= before;
      }
      changed.push_back(g);
    }
    for (int g : changed) UpdateMetrics(g);
  }

  /// Groups after those they depend on, by their first tree where there is a choice.
  std::vector<int> Sorted() const {
    std::vector<int> order;
    std::vector<bool> done(groups_.size(), false);
    std::size_t left = 0;
    for (const Group& group : groups_) left += group.trees.empty() ? 0 : 1;
    while (left > 0) {
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Group& group = groups_[g];
        if (done[g] || group.trees.empty() || !Ready(group, done)) continue;
        order.insert(order.end(), group.trees.begin(), group.trees.end());
        done[g] = true;
        --left;
        break;
      }
    }
    return order;
  }

  bool Ready(const Group& group, const std::vector<bool>& done) const {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!done[g] && !groups_[g].trees.empty() && group.before.Contains(static_cast<int>(g))) {
        return false;
      }
    }
    return true;
  }

  std::vector<Group> groups_;
  std::vector<std::vector<Metric>> metrics_;  ///< [a][b] for a < b
};

}  // namespace

std::vector<std::vector<int>> TreeDependences(const Forest& forest) {
  std::vector<std::vector<int>> before(forest.roots.size());
  for (std::size_t tree = 0; tree < before.size(); ++tree) {
    forest.uses[At(forest.roots[tree])].ForEach([&](int label) {
      const int producer = forest.tree_of[At(forest.value_of[At(label)])];
      if (producer >= 0) before[tree].push_back(producer);
    });
    std::sort(before[tree].begin(), before[tree].end());
  }
  return before;
}

std::vector<int> OrderTrees(const kernel::Body& body, const Forest& forest) {
  return TreeGroups(body, forest).Run();
}

std::vector<int> OrderTreesByNeed(const Forest& forest) {
  const auto dependences = TreeDependences(forest);
  const std::size_t count = forest.roots.size();
  std::vector<bool> is_read(count, false), done(count, false);
  for (const auto& producers : dependences) {
    for (int producer : producers) is_read[At(producer)] = true;
  }
  std::vector<int> order;
  const std::function<void(int)> visit = [&](int tree) {
    if (done[At(tree)]) return;
    done[At(tree)] = true;
    for (int producer : dependences[At(tree)]) visit(producer);
    order.push_back(tree);
  };
  for (std::size_t tree = 0; tree < count; ++tree) {
    if (!is_read[tree]) visit(static_cast<int>(tree));
  }
  return order;
}

}  // namespace stencilgen::passes
