#pragma once

#include <set>

#include "plan/plan.h"

namespace stencilgen::plan {

/// What a loop computes for its condition alone (graph::Stop): it has to be there in turns after
/// which the condition is looked at, and in no others.
struct Looks {
  std::set<KernelId> kernels;
  std::set<graph::NodeId> scalars;  ///< of AssignScalar steps; the condition itself is one
  /// What follows the loop reads some of the results: its last turn has to compute them too.
  bool results = false;
};

/// Of the body's own steps, those whose results nothing but the condition, and what comes after the
/// loop, depends on. Empty where the loop has no condition, or looks at it after every turn.
Looks FindLooks(const Plan& plan, const Repeat& repeat);

}  // namespace stencilgen::plan
