#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace stencilgen::plan {

/// What is known of one memory: all of an instance of a version, or only its elements outside what
/// an operator writes.
struct Contents {
  int instance = -1;  ///< -1 where not all of one is there
  int elements = -1;  ///< else: which set of elements is left out,
  int frame = -1;     ///< and the number of what the others hold
};

/// Numbers the values that versions take while a plan runs: an instance is what one execution of
/// an operator makes, a frame what an instance holds outside a set of elements. Two equal numbers
/// certainly mean equal values.
class MemoryModel {
 public:
  explicit MemoryModel(const graph::Graph& graph);

  /// A value about which nothing is known.
  int NewInstance();
  /// The value that the operator makes of the background's value (-1 for none).
  int NewInstance(graph::NodeId op, int background);
  /// A loop begins another turn, in which operators may write other elements than before.
  void NextTurn() { ++turn_; }
  /// What the instance holds outside the elements that the operator writes.
  Contents FrameOf(int instance, graph::NodeId op);
  Contents AllOf(int instance) const { return {instance, -1, -1}; }
  /// True where the contents have the instance's values outside what the operator writes.
  bool HasFrame(const Contents& contents, int instance, graph::NodeId op);

 private:
  struct Instance {
    int elements = -1;  ///< the set its operator writes
    int frame = -1;     ///< the number of what is outside
  };
  int Frame(int instance, int elements);
  /// The set of elements that the operator writes in this turn.
  int ElementsOf(graph::NodeId op) const;

  std::vector<int> elements_of_;  ///< by node: the set of elements the operator writes
  std::vector<bool> by_turn_;     ///< by node: it is another one in each turn
  int sets_ = 0;
  int turn_ = 0;
  std::vector<Instance> instances_;
  std::map<std::pair<int, int>, int> frames_;  ///< by instance and elements
  int next_frame_ = 0;
};

}  // namespace stencilgen::plan
