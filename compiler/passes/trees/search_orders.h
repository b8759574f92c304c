#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "passes/trees/label_set.h"

namespace stencilgen::passes {

/// The children of a node that are put in order, and what is live around them.
struct SearchProblem {
  const std::vector<LabelSet>& uses;  ///< by child
  const LabelSet& in;                 ///< labels live before the first
  const LabelSet& out;                ///< labels live after the last
  int lower_bound = 0;                ///< registers that no order can do without
  int slack = 0;                      ///< an order this near to the bound is good enough
};
/// The most registers while child k is evaluated with labels `in` live before it and `out` after
/// it. `first`: no other child comes before it.
using ChildCost =
    std::function<int(int child, const LabelSet& in, const LabelSet& out, bool first)>;

struct FoundOrder {
  int peak = 0;
  std::vector<int> order;
};

/// The most children for which every order is considered.
inline constexpr int kExhaustive = 8;

/// The peak of one order of all children.
int PeakOfOrder(const SearchProblem& problem, const std::vector<int>& order, const ChildCost& cost);

/// The order of least peak ([S] 4.3.2), and of those one with few live labels between children.
/// What is live after some children does not depend on their order, so all permutations are covered
/// by going through the sets of children that can have come first; sets that cannot lead to less
/// than the best order so far are left out. `budget` is the number of children's evaluations that
/// may still be made, and is lowered by those that were; without any left, the best order so far is
/// given, at first the given one.
///
/// Requires: at most kExhaustive children.
FoundOrder SearchOrders(const SearchProblem& problem, const ChildCost& cost, std::int64_t& budget);

/// Children in groups of at most `size` ([S] 4.3.3), for nodes with more than kExhaustive.
/// By label affinity: each group is grown by the child that shares most labels with it.
std::vector<std::vector<int>> PartitionByAffinity(const std::vector<LabelSet>& uses, int size);
/// By release potential: each group is grown by the users of the label that has the fewest left, of
/// those that are not live after the node, so that groups come in an order in which they release
/// labels early.
std::vector<std::vector<int>> PartitionByRelease(const std::vector<LabelSet>& uses,
                                                 const LabelSet& out, int label_count, int size);

}  // namespace stencilgen::passes
