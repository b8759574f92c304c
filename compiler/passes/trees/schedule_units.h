#pragma once

#include <vector>

#include "passes/reorder_trees.h"
#include "passes/trees/schedule_tree.h"
#include "passes/trees/units.h"

namespace stencilgen::passes {

/// Evaluates units one after the other, each in its best atomic order for the labels that are live
/// before and after it ([S] Algorithm 4.2). `order`: places in `units`, each once, after those of
/// its producers. The peak is kernel::MaxLive of the body in that order.
TreeSchedule ScheduleUnits(const Forest& forest, const std::vector<Unit>& units,
                           const std::vector<int>& order, const TreesOptions& options);

}  // namespace stencilgen::passes
