#pragma once

#include <vector>

#include "passes/reorder_trees.h"
#include "passes/trees/forest.h"
#include "passes/trees/schedule_tree.h"

namespace stencilgen::passes {

/// Evaluates the trees one after the other, each in its best atomic order for the labels that are
/// live before and after it ([S] Algorithm 4.2). `trees`: places in Forest::roots, each once, after
/// those whose results it reads. The peak is kernel::MaxLive of the body in that order.
TreeSchedule ScheduleForest(const Forest& forest, const std::vector<int>& trees,
                            const TreesOptions& options);

}  // namespace stencilgen::passes
