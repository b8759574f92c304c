#include "passes/trees/schedule_units.h"

#include <algorithm>

namespace stencilgen::passes {

TreeSchedule ScheduleUnits(const Forest& forest, const std::vector<Unit>& units,
                           const std::vector<int>& order, const TreesOptions& options) {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  // needed[k]: what units from place k on read.
  std::vector<LabelSet> needed(order.size() + 1, LabelSet(forest.label_count()));
  for (std::size_t k = order.size(); k-- > 0;) {
    needed[k] = needed[k + 1] | units[at(order[k])].uses;
  }
  TreeScheduler scheduler(forest, options);
  TreeSchedule result;
  LabelSet live(forest.label_count());
  std::vector<std::size_t> evaluated(forest.steps_of.size(), 0);  // by value: its steps so far
  int open = 0;  // accumulations that have begun and are not complete
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Unit& unit = units[at(order[k])];
    LabelSet after = (live | unit.uses) & needed[k + 1];
    const std::size_t all = forest.steps_of[at(unit.value)].size();
    std::size_t& done = evaluated[at(unit.value)];
    const bool begun = done > 0;
    const TreeSchedule tree = unit.steps.size() == all ? scheduler.Schedule(unit.value, live, after)
                                                       : scheduler.ScheduleContribution(
                                                             unit.steps[0], live, after, !begun);
    done += unit.steps.size();
    result.peak = std::max(result.peak, tree.peak + open - (begun ? 1 : 0));
    result.order.insert(result.order.end(), tree.order.begin(), tree.order.end());
    const bool complete = done == all;
    open += (complete ? 0 : 1) - (begun ? 1 : 0);
    const int label = forest.label_of[at(unit.value)];
    if (complete && label >= 0) after.Insert(label);
    live = std::move(after);
  }
  return result;
}

}  // namespace stencilgen::passes
