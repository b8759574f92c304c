#include <algorithm>
#include <array>

#include "passes/trees/order_units.h"

namespace stencilgen::passes {
namespace {

class ReleaseOrder {
 public:
  ReleaseOrder(const Forest& forest, const std::vector<Unit>& units, const ReleaseRule& rule)
      : forest_(forest),
        units_(units),
        rule_(rule),
        readers_(At(forest.label_count()), 0),
        consumers_(units.size()),
        done_(forest.steps_of.size(), 0),
        live_(forest.label_count()) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      units[unit].uses.ForEach([&](int label) { ++readers_[At(label)]; });
      missing_.push_back(units[unit].producers.size());
      if (missing_.back() == 0) ready_.push_back(static_cast<int>(unit));
      for (int producer : units[unit].producers) {
        consumers_[At(producer)].push_back(static_cast<int>(unit));
      }
    }
  }

  std::vector<int> Run() {
    std::vector<int> order;
    while (!ready_.empty()) {
      const int chosen = Best();
      ready_.erase(std::find(ready_.begin(), ready_.end(), chosen));
      order.push_back(chosen);
      Evaluate(chosen);
    }
    return order;
  }

 private:
  /// Smaller is better.
  using Key = std::array<double, 4>;

  /// What is live after the unit less what is live before it.
  int Growth(const Unit& unit) const {
    int change = unit.uses.CountWithout(live_);
    unit.uses.ForEach([&](int label) { change -= readers_[At(label)] == 1 ? 1 : 0; });
    const std::size_t done = done_[At(unit.value)];
    const bool complete = done + unit.steps.size() == forest_.steps_of[At(unit.value)].size();
    const bool stays = !complete || forest_.label_of[At(unit.value)] >= 0;
    return change + (stays ? 1 : 0) - (done > 0 ? 1 : 0);
  }

  Key KeyOf(const Unit& unit) const {
    const double point = rule_.by_point ? unit.point : 0;
    double nearer = 0;  // how much nearer to their last use live labels get
    unit.uses.ForEach([&](int label) {
      if (live_.Contains(label)) nearer += 1.0 / readers_[At(label)];
    });
    if (rule_.weighted) {
      return {point, Growth(unit) - nearer, -static_cast<double>(unit.uses.CountCommon(live_)), 0};
    }
    return {point, static_cast<double>(Growth(unit)), done_[At(unit.value)] > 0 ? -1.0 : 0.0,
            -nearer};
  }

  int Best() const {
    int best = ready_.front();
    Key least = KeyOf(units_[At(best)]);
    for (int each : ready_) {
      const Key key = KeyOf(units_[At(each)]);
      if (key < least) {
        best = each;
        least = key;
      }
    }
    return best;
  }

  void Evaluate(int chosen) {
    const Unit& unit = units_[At(chosen)];
    live_ |= unit.uses;
    LabelSet dead(forest_.label_count());
    unit.uses.ForEach([&](int label) {
      if (--readers_[At(label)] == 0) dead.Insert(label);
    });
    live_ -= dead;
    std::size_t& done = done_[At(unit.value)];
    done += unit.steps.size();
    const int label = forest_.label_of[At(unit.value)];
    if (label >= 0 && done == forest_.steps_of[At(unit.value)].size()) live_.Insert(label);
    for (int consumer : consumers_[At(chosen)]) {
      if (--missing_[At(consumer)] != 0) continue;
      ready_.insert(std::lower_bound(ready_.begin(), ready_.end(), consumer), consumer);
    }
  }

  const Forest& forest_;
  const std::vector<Unit>& units_;
  ReleaseRule rule_;
  std::vector<int> readers_;                 ///< by label: units to come that read it
  std::vector<std::vector<int>> consumers_;  ///< by unit
  std::vector<std::size_t> missing_;         ///< by unit: producers to come
  std::vector<std::size_t> done_;            ///< by value: steps evaluated
  std::vector<int> ready_;                   ///< ascending
  LabelSet live_;
};

}  // namespace

std::vector<int> OrderByRelease(const Forest& forest, const std::vector<Unit>& units,
                                const ReleaseRule& rule) {
  return ReleaseOrder(forest, units, rule).Run();
}

}  // namespace stencilgen::passes
