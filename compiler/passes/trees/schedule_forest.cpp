#include "passes/trees/schedule_forest.h"

#include <algorithm>

namespace stencilgen::passes {

TreeSchedule ScheduleForest(const Forest& forest, const std::vector<int>& trees,
                            const TreesOptions& options) {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  // needed[k]: what trees from place k on read.
  std::vector<LabelSet> needed(trees.size() + 1, LabelSet(forest.label_count()));
  for (std::size_t k = trees.size(); k-- > 0;) {
    needed[k] = needed[k + 1] | forest.uses[at(forest.roots[at(trees[k])])];
  }
  TreeScheduler scheduler(forest, options);
  TreeSchedule result;
  LabelSet live(forest.label_count());
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const int root = forest.roots[at(trees[k])];
    LabelSet after = (live | forest.uses[at(root)]) & needed[k + 1];
    const TreeSchedule tree = scheduler.Schedule(root, live, after);
    result.peak = std::max(result.peak, tree.peak);
    result.order.insert(result.order.end(), tree.order.begin(), tree.order.end());
    if (forest.label_of[at(root)] >= 0) after.Insert(forest.label_of[at(root)]);
    live = std::move(after);
  }
  return result;
}

}  // namespace stencilgen::passes
