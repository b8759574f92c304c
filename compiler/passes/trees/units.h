#pragma once

#include <vector>

#include "kernel/body.h"
#include "passes/trees/forest.h"

namespace stencilgen::passes {

/// What is put in order and then evaluated without interruption: a tree, or one contribution to an
/// accumulation at its root.
struct Unit {
  int value = 0;           ///< the root
  std::vector<int> steps;  ///< all of the root's, or one of them
  LabelSet uses;
  std::vector<int> producers;  ///< units that compute what it reads, ascending
  int point = 0;               ///< the unrolled point of its statement, by order of appearance
};

/// Units whose trees have more than `most_steps` steps in all are taken apart, in the order of the
/// forest's roots. Each unit's producers come before it.
std::vector<Unit> MakeUnits(const kernel::Body& body, const Forest& forest, int most_steps);

/// Inner accumulations, by value, of whose contributions units are to be made because their
/// subtrees have more than `most_steps` steps: roots of a forest with smaller trees.
std::vector<bool> LargeAccumulations(const Forest& forest, int most_steps);

}  // namespace stencilgen::passes
