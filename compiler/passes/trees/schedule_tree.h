#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "passes/reorder_trees.h"
#include "passes/trees/forest.h"

namespace stencilgen::passes {

/// An order of the steps of a tree, and the most registers that are taken on the way (su' of [S]
/// 4.3.2).
struct TreeSchedule {
  int peak = 0;
  std::vector<int> order;
};

/// Finds the best atomic order of expression trees that share labels: each child of a node is
/// evaluated without interruption ([S] 4.3.2, Algorithm 4.1). Remembers what it has found for each
/// node and its minimal context: the labels of its own that are live before and after it.
class TreeScheduler {
 public:
  /// `forest` must outlive the scheduler.
  TreeScheduler(const Forest& forest, const TreesOptions& options)
      : forest_(forest), options_(options) {}

  /// The tree at `value`, where the labels `in` are live before it and `out` after it, other than
  /// that of its own root. The peak counts all labels that are live, and the root. Requires: `out`
  /// is a subset of `in` and the tree's uses, and has what is in `in` and the tree does not use.
  TreeSchedule Schedule(int value, const LabelSet& in, const LabelSet& out);
  /// One contribution alone to the accumulation at a root, which it begins where it is the `first`.
  /// The peak counts the accumulation.
  TreeSchedule ScheduleContribution(int step, const LabelSet& in, const LabelSet& out, bool first);

 private:
  /// An evaluation of a step, a value, or a group of steps, by what is live in its own labels.
  struct Key {
    std::int64_t node = 0;
    LabelSet in, out;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return key.out.Hash(key.in.Hash(static_cast<std::size_t>(key.node) + 1));
    }
  };
  /// Steps of one accumulation that are evaluated as one child: one step, or parts in an order that
  /// depends on the context.
  struct Item {
    int step = -1;
    std::vector<Item> parts;
    LabelSet uses;
    std::int64_t id = 0;
  };

  /// A cluster of children with its orders: as the first of its node, and after others.
  struct ArrangedCluster {
    TreeSchedule first, later;
    int in = 0, out = 0;
  };

  const TreeSchedule& Value(int value, const LabelSet& in, const LabelSet& out);
  const TreeSchedule& OfStep(int step, const LabelSet& in, const LabelSet& out);
  TreeSchedule EvaluateStep(const Step& step, int index, const LabelSet& in, const LabelSet& out);
  TreeSchedule EvaluateOperands(const Step& step, const std::vector<int>& subtrees,
                                const LabelSet& in, const LabelSet& out);
  TreeSchedule EvaluateAccumulation(int value, const LabelSet& in, const LabelSet& out);
  TreeSchedule JoinClusters(std::vector<ArrangedCluster> clusters, int live) const;
  const TreeSchedule& Group(const Item& item, const LabelSet& in, const LabelSet& out, bool first);
  int ItemPeak(const Item& item, const LabelSet& in, const LabelSet& out, bool first);
  TreeSchedule Arrange(const std::vector<Item>& items, const LabelSet& in, const LabelSet& out,
                       bool first);
  TreeSchedule ArrangeCluster(const std::vector<Item>& items, const LabelSet& in,
                              const LabelSet& out, bool first);
  std::vector<Item> Partition(const std::vector<Item>& items, const LabelSet& out, bool by_release);
  int LowerBound(const std::vector<Item>& items, const LabelSet& in, const LabelSet& out,
                 bool first) const;

  const Forest& forest_;
  TreesOptions options_;
  std::int64_t budget_ = 0;
  std::int64_t next_group_ = 0;
  std::unordered_map<Key, std::unique_ptr<TreeSchedule>, KeyHash> known_;
};

}  // namespace stencilgen::passes
