#include "passes/trees/hoist_contributions.h"

#include <utility>

namespace stencilgen::passes {
namespace {

/// Emits an order, and after each instruction the contributions that it has made ready.
class Hoister {
 public:
  Hoister(const Forest& forest, const std::vector<bool>& taking_part)
      : forest_(forest),
        taking_part_(taking_part),
        missing_(forest.steps_of.size()),
        done_(forest.steps.size(), false),
        seen_(forest.label_count()) {
    for (std::size_t value = 0; value < missing_.size(); ++value) {
      missing_[value] = static_cast<int>(forest.steps_of[value].size());
    }
  }

  std::vector<int> Run(const std::vector<int>& order) {
    for (int step : order) Emit(step);
    return std::move(result_);
  }

 private:
  void Emit(int step) {
    if (done_[At(step)]) return;
    done_[At(step)] = true;
    result_.push_back(step);
    const Step& emitted = forest_.steps[At(step)];
    const std::size_t begin = arrived_.size();
    for (int label : emitted.reads) Arrive(label);
    if (--missing_[At(emitted.value)] == 0) Arrive(forest_.label_of[At(emitted.value)]);
    const std::size_t end = arrived_.size();
    for (std::size_t k = begin; k < end; ++k) {
      for (int reader : forest_.readers[At(arrived_[k])]) EmitAround(reader);
    }
  }

  void Arrive(int label) {
    if (label < 0 || seen_.Contains(label)) return;
    seen_.Insert(label);
    arrived_.push_back(label);
  }

  /// The largest expression around the step that can be computed now and whose value takes part.
  void EmitAround(int step) {
    int top = -1;
    for (int each = step; each >= 0 && !done_[At(each)];) {
      if (!forest_.steps[At(each)].uses.IsSubsetOf(seen_)) break;
      const int value = forest_.steps[At(each)].value;
      if (taking_part_[At(value)]) top = each;
      each = forest_.reader_of[At(value)];
    }
    if (top < 0) return;
    std::vector<int> steps;
    AppendSubtree(forest_, top, done_, steps);
    for (int each : steps) Emit(each);
  }

  const Forest& forest_;
  const std::vector<bool>& taking_part_;
  std::vector<int> missing_;  ///< by value: contributions to come
  std::vector<bool> done_;
  LabelSet seen_;
  std::vector<int> arrived_;  ///< the labels in seen_, in their order
  std::vector<int> result_;
};

}  // namespace

std::vector<int> HoistContributions(const Forest& forest, const std::vector<int>& order,
                                    const std::vector<bool>& taking_part) {
  return Hoister(forest, taking_part).Run(order);
}

std::vector<int> HoistAccumulations(const Forest& forest, std::vector<int> order,
                                    OrderPricer& pricer, std::int64_t& budget) {
  const std::size_t values = forest.steps_of.size();
  std::vector<std::vector<int>> groups(1 + forest.roots.size());
  std::vector<int> alone;
  for (std::size_t value = 0; value < values; ++value) {
    if (forest.steps_of[value].empty()) continue;
    const bool is_root = forest.reader_of[value] < 0;
    if (!is_root && forest.steps_of[value].size() < 2) continue;
    groups[0].push_back(static_cast<int>(value));
    groups[At(1 + forest.tree_of[value])].push_back(static_cast<int>(value));
    alone.push_back(static_cast<int>(value));
  }
  for (int value : alone) groups.push_back({value});

  const std::vector<int> given = order;
  OrderCost cost = pricer.Price(order);
  std::vector<bool> taking_part(values, false);
  const auto attempt = [&](const std::vector<bool>& other) {
    if (budget <= 0) return;
    budget -= 4 * static_cast<std::int64_t>(given.size());
    std::vector<int> hoisted = HoistContributions(forest, given, other);
    const OrderCost hoisted_cost = pricer.Price(hoisted);
    if (hoisted_cost >= cost) return;
    cost = hoisted_cost;
    order = std::move(hoisted);
    taking_part = other;
  };
  for (const std::vector<int>& group : groups) {
    for (const bool part : {true, false}) {
      std::vector<bool> other = taking_part;
      for (int value : group) other[At(value)] = part;
      if (other != taking_part) attempt(other);
    }
  }
  return order;
}

}  // namespace stencilgen::passes
