#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel/body.h"
#include "passes/reorder_lars.h"

namespace stencilgen::passes {

/// The list scheduler of [S] Algorithm 5.1 on its way through a body. Labels are the body's values
/// that take registers and, on request, coefficients.
class LarsState {
 public:
  LarsState(const kernel::Body& body, LarsObjective objective, const Latencies& latencies,
            int window, bool coefficients = false);

  std::vector<std::size_t> Run();

  /// The label's initial priority; -1 for a value that takes no register.
  int Priority(kernel::ValueId value) const;
  /// [S] Algorithm 5.2, of a label that is not live.
  LarsCost CostOf(kernel::ValueId value) const;
  bool IsLive(kernel::ValueId value) const;
  /// Neither fired nor waiting for a complete operand.
  bool IsUnblocked(std::size_t instruction) const;
  /// The most profitable label; invalid where no instruction is left.
  kernel::ValueId Choose() const;
  /// Gives the label a register, and fires what that makes fireable.
  void MakeLive(kernel::ValueId value);
  /// The instructions fired so far.
  const std::vector<std::size_t>& fired() const { return order_; }

 private:
  /// Two labels that occur in the same instructions, and in how many that are not fired.
  struct Pair {
    std::size_t a = 0, b = 0;
    int instructions = 0;
    std::size_t Other(std::size_t label) const { return label == a ? b : a; }
  };
  struct Label {
    kernel::ValueId value;
    std::vector<std::size_t> instructions;
    std::vector<std::size_t> pairs;
    int left = 0;       ///< instructions that are not fired
    int unblocked = 0;  ///< of them, those that are not blocked
    int live_neighbours = 0;
    int priority = 0;
    bool live = false;
  };
  /// An instruction and all that is computed for it alone; or a statement.
  struct Tree {
    std::size_t parent = 0;  ///< itself for a statement
    std::vector<std::size_t> children, instructions;
    int depth = 1;
    int fired = 0;
    int open = 0;  ///< instructions that are unblocked and not fired
    bool leading = false;
  };
  struct Step {
    std::vector<std::size_t> labels, pairs, successors;
    std::size_t blockers = 0;  ///< predecessors that are not fired
    std::size_t missing = 0;   ///< labels that are not live
    bool fired = false;
  };

  void FindLabels();
  void FindPairs();
  void FindPriorities(const Latencies& latencies);
  void FindTrees();
  /// For each tree with that instruction, itself first.
  template <typename Visit>
  void VisitTrees(std::size_t instruction, const Visit& visit) {
    std::size_t tree = instruction;
    for (; trees_[tree].parent != tree; tree = trees_[tree].parent) visit(trees_[tree]);
    visit(trees_[tree]);
  }
  void Unblock(std::size_t instruction);
  void FindLeading();
  std::size_t Lead(const std::vector<std::size_t>& trees) const;
  std::pair<int, int> Growth(std::size_t tree) const;
  int Nearness(std::size_t instruction) const;
  LarsCost Cost(std::size_t label) const;
  auto Key(const LarsCost& cost) const {
    const int gain = std::max(0, cost.release - (cost.stays ? 1 : 0));
    switch (objective_) {
      case LarsObjective::Plain:
        break;
      case LarsObjective::Interleave:
        return std::tuple(cost.release, cost.fire, 0, 0, cost.primary, cost.secondary,
                          -cost.waiting, cost.leading, cost.priority);
      case LarsObjective::DepthFirst:
        return std::tuple(cost.release, cost.leading, cost.priority, cost.fire, cost.primary,
                          cost.secondary, -cost.waiting, 0, 0);
      case LarsObjective::Gain:
        return std::tuple(gain, cost.leading, cost.priority, cost.fire, cost.primary,
                          cost.secondary, -cost.waiting, 0, 0);
      case LarsObjective::InOrder:
        return std::tuple(cost.release, cost.leading, cost.fire, cost.primary, cost.secondary,
                          -cost.waiting, cost.priority, 0, 0);
      case LarsObjective::Growth:
        return std::tuple(gain, cost.leading, cost.fire, cost.primary, cost.secondary,
                          -cost.waiting, cost.priority, 0, 0);
    }
    return std::tuple(cost.release, cost.fire, cost.primary, cost.secondary, cost.leading,
                      cost.priority, -cost.waiting, 0, 0);
  }
  void SetLive(std::size_t label, bool live);
  void FireAll(std::vector<std::size_t> fireable);
  void Fire(std::size_t instruction);
  int Interlocks(std::size_t instruction) const;

  const kernel::Body& body_;
  LarsObjective objective_;
  int window_;
  bool coefficients_;
  std::vector<Label> labels_;
  std::vector<std::size_t> label_of_;  ///< by value; as many as there are labels where none
  std::vector<Pair> pairs_;
  std::vector<Step> steps_;
  std::vector<std::size_t> order_;
  std::vector<Tree> trees_;              ///< by instruction, then by statement
  std::vector<std::size_t> statements_;  ///< places in trees_
  std::vector<std::size_t> leading_;     ///< a statement, a tree in it, a tree in that ...
  mutable std::vector<int> counts_;      ///< by label: scratch, zero between uses
};

}  // namespace stencilgen::passes
