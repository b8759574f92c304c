#pragma once

#include <cstddef>
#include <tuple>
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
  struct Step {
    std::vector<std::size_t> labels, pairs, successors;
    std::size_t blockers = 0;  ///< predecessors that are not fired
    std::size_t missing = 0;   ///< labels that are not live
    bool fired = false;
  };

  void FindLabels();
  void FindPairs();
  void FindPriorities(const Latencies& latencies);
  LarsCost Cost(std::size_t label) const;
  auto Key(const LarsCost& cost) const {
    const int leading = cost.leading ? 1 : 0;
    switch (objective_) {
      case LarsObjective::Interleave:
        return std::tuple(cost.release, cost.fire, 0, 0, cost.primary, cost.secondary,
                          -cost.waiting, leading, cost.priority);
      case LarsObjective::DepthFirst:
        return std::tuple(cost.release, leading, cost.priority, cost.fire, cost.primary,
                          cost.secondary, -cost.waiting, 0, 0);
      case LarsObjective::Plain:
        break;
    }
    return std::tuple(cost.release, cost.fire, cost.primary, cost.secondary, leading, cost.priority,
                      -cost.waiting, 0, 0);
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
  std::vector<int> fired_of_, left_of_;  ///< instructions by statement
  int leading_ = 0;
  mutable std::vector<int> counts_;  ///< by label: scratch of Cost
};

}  // namespace stencilgen::passes
