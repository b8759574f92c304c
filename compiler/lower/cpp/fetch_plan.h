#pragma once

#include <cstddef>
#include <vector>

#include "kernel/body.h"

namespace stencilgen::lower::cpp {

/// When a body on a machine with few registers loads what it does not compute.
///
/// Elements and values that are the same at every point wait in memory, so that one that is needed
/// again much later may be dropped and loaded anew, which is cheaper than a spill: nothing has to
/// be stored. Where registers run short, the one that is needed last goes first (L. A. Belady, *A
/// study of replacement algorithms for a virtual-storage computer*, 1966).
struct FetchPlan {
  /// By instruction: operands to load before it, each once, in the order of the operands.
  std::vector<std::vector<kernel::ValueId>> fetches;
  std::vector<kernel::ValueId> resident;  ///< uniform values that stay in registers in all turns
  int loads = 0;                          ///< of one turn
  int overflow = 0;  ///< values that no register is left for, over all instructions
};

/// True for a value that is the same at every point: what a broadcast makes.
bool IsUniform(const kernel::Value& value);

/// The plan of the fewest loads for so many registers. `overflow` is what even dropping does not
/// avoid, because too much of what is live was computed. Requires: registers >= 4.
FetchPlan PlanFetches(const kernel::Body& body, int registers);

}  // namespace stencilgen::lower::cpp
