#include "passes/trees/order_units.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace stencilgen::passes {
namespace {

/// Sets of units and of arrays are label sets of another kind.
using IndexSet = LabelSet;

/// By unit: the arrays it reads, as indices in the order of first use.
std::vector<IndexSet> ArraysRead(const kernel::Body& body, const Forest& forest,
                                 const std::vector<Unit>& units) {
  std::map<std::uint32_t, int> arrays;
  std::vector<std::vector<int>> read(units.size());
  const std::vector<bool> none(forest.steps.size(), false);
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    std::vector<int> steps;
    for (int step : units[unit].steps) AppendSubtree(forest, step, none, steps);
    for (int step : steps) {
      for (kernel::ValueId operand : body.instructions[At(step)].operands) {
        const kernel::Value& value = body.values[operand];
        if (!kernel::TakesRegister(value) || kernel::IsTemporary(value)) continue;
        const auto version = std::get<kernel::Element>(value.what).access.version.index;
        const int next = static_cast<int>(arrays.size());
        read[unit].push_back(arrays.try_emplace(version, next).first->second);
      }
    }
  }
  std::vector<IndexSet> sets(read.size(), IndexSet(static_cast<int>(arrays.size())));
  for (std::size_t unit = 0; unit < read.size(); ++unit) {
    for (int array : read[unit]) sets[unit].Insert(array);
  }
  return sets;
}

/// Groups of units, joined pair by pair.
class UnitGroups {
 public:
  UnitGroups(const kernel::Body& body, const Forest& forest, const std::vector<Unit>& units) {
    const auto arrays = ArraysRead(body, forest, units);
    const int count = static_cast<int>(units.size());
    for (int unit = 0; unit < count; ++unit) {
      Group group{{unit}, units[At(unit)].uses, arrays[At(unit)], IndexSet(count), IndexSet(count)};
      for (int producer : units[At(unit)].producers) {
        group.before.Insert(producer);
        group.before |= groups_[At(producer)].before;
      }
      groups_.push_back(std::move(group));
    }
    for (int unit = 0; unit < count; ++unit) {
      for (int producer = 0; producer < unit; ++producer) {
        if (groups_[At(unit)].before.Contains(producer)) groups_[At(producer)].after.Insert(unit);
      }
    }
    metrics_.assign(groups_.size(), std::vector<Metric>(groups_.size()));
    for (int a = 0; a < count; ++a) UpdateMetrics(a);
  }

  std::vector<int> Run() {
    while (true) {
      const auto [a, b] = BestPair();
      if (a < 0) break;
      Join(a, b);
    }
    return Sorted();
  }

 private:
  struct Group {
    std::vector<int> units;  ///< in order; empty once it has been joined to another
    IndexSet labels, arrays;
    IndexSet before, after;  ///< groups with a path to this one, and from it, by first number
  };
  /// Labels and arrays in common; {0, 0} where a path runs between the two.
  using Metric = std::pair<int, int>;

  Metric Compare(const Group& a, int b_index) const {
    const Group& b = groups_[At(b_index)];
    if (a.units.empty() || b.units.empty()) return {};
    if (a.before.Contains(b_index) || a.after.Contains(b_index)) return {};
    return {a.labels.CountCommon(b.labels), a.arrays.CountCommon(b.arrays)};
  }

  void UpdateMetrics(int a) {
    for (int b = 0; b < static_cast<int>(groups_.size()); ++b) {
      if (a == b) continue;
      const Metric metric = Compare(groups_[At(a)], b);
      metrics_[At(std::min(a, b))][At(std::max(a, b))] = metric;
    }
  }

  std::pair<int, int> BestPair() const {
    std::pair<int, int> best{-1, -1};
    Metric most{0, 0};
    for (std::size_t a = 0; a < groups_.size(); ++a) {
      if (groups_[a].units.empty()) continue;
      for (std::size_t b = a + 1; b < groups_.size(); ++b) {
        if (metrics_[a][b] > most) {
          most = metrics_[a][b];
          best = {static_cast<int>(a), static_cast<int>(b)};
        }
      }
    }
    return best;
  }

  /// Makes b part of a. Whoever had a path to or from one of them now has it for both.
  void Join(int a, int b) {
    Group& into = groups_[At(a)];
    Group& from = groups_[At(b)];
    into.units.insert(into.units.end(), from.units.begin(), from.units.end());
    from.units.clear();
    into.labels |= from.labels;
    into.arrays |= from.arrays;
    into.before |= from.before;
    into.after |= from.after;
    const IndexSet before = into.before, after = into.after;
    std::vector<int> changed{a, b};
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
      Group& group = groups_[At(g)];
      const bool precedes = before.Contains(g), follows = after.Contains(g);
      if (group.units.empty() || (!precedes && !follows)) continue;
      if (precedes) {
        group.after.Insert(a);
        group.after |= after;
      } else {
        group.before.Insert(a);
        group.before |= before;
      }
      changed.push_back(g);
    }
    for (int g : changed) UpdateMetrics(g);
  }

  /// Groups after those they depend on, by their first unit where there is a choice.
  std::vector<int> Sorted() const {
    std::vector<int> order;
    std::vector<bool> done(groups_.size(), false);
    std::size_t left = 0;
    for (const Group& group : groups_) left += group.units.empty() ? 0 : 1;
    while (left > 0) {
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Group& group = groups_[g];
        if (done[g] || group.units.empty() || !Ready(group, done)) continue;
        order.insert(order.end(), group.units.begin(), group.units.end());
        done[g] = true;
        --left;
        break;
      }
    }
    return order;
  }

  bool Ready(const Group& group, const std::vector<bool>& done) const {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!done[g] && !groups_[g].units.empty() && group.before.Contains(static_cast<int>(g))) {
        return false;
      }
    }
    return true;
  }

  std::vector<Group> groups_;
  std::vector<std::vector<Metric>> metrics_;  ///< [a][b] for a < b
};

}  // namespace

std::vector<int> OrderByAffinity(const kernel::Body& body, const Forest& forest,
                                 const std::vector<Unit>& units) {
  return UnitGroups(body, forest, units).Run();
}

std::vector<int> OrderByNeed(const std::vector<Unit>& units) {
  std::vector<bool> is_read(units.size(), false), done(units.size(), false);
  for (const Unit& unit : units) {
    for (int producer : unit.producers) is_read[At(producer)] = true;
  }
  std::vector<int> order;
  const std::function<void(int)> visit = [&](int unit) {
    if (done[At(unit)]) return;
    done[At(unit)] = true;
    for (int producer : units[At(unit)].producers) visit(producer);
    order.push_back(unit);
  };
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    if (!is_read[unit]) visit(static_cast<int>(unit));
  }
  return order;
}

}  // namespace stencilgen::passes
