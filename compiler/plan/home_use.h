#pragma once

#include <vector>

#include "plan/plan.h"
#include "plan/version_uses.h"

namespace stencilgen::plan {

/// Plan::needs_contents: whether anything uses what a copyin or copyout array holds at first.
std::vector<bool> FindNeededContents(const graph::Graph& graph, const VersionUses& uses);

/// Plan::home_written: whether a step may write the memory that an array's home points to at
/// first, also after rotations have moved it.
std::vector<bool> FindWrittenHomes(const Plan& plan);

}  // namespace stencilgen::plan
