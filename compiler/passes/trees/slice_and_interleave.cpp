#include "passes/trees/slice_and_interleave.h"

#include <algorithm>
#include <utility>

namespace stencilgen::passes {
namespace {

std::size_t At(int index) {
  return static_cast<std::size_t>(index);
}

/// Emits an order, and after each instruction the contributions that it has made ready.
class Hoister {
 public:
  Hoister(const Forest& forest, const std::vector<bool>& trees)
      : forest_(forest),
        trees_(trees),
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
    std::vector<int> arrived;
    for (int label = 0; label < forest_.label_count(); ++label) {
      if (forest_.steps[At(step)].labels.Contains(label) && !seen_.Contains(label)) {
        arrived.push_back(label);
      }
    }
    const int value = forest_.steps[At(step)].value;
    if (--missing_[At(value)] == 0 && forest_.label_of[At(value)] >= 0) {
      arrived.push_back(forest_.label_of[At(value)]);
    }
    for (int label : arrived) seen_.Insert(label);
    for (int label : arrived) {
      for (int reader : forest_.readers[At(label)]) EmitContribution(reader);
    }
  }

  /// The contribution to a root that the step belongs to, if it can be computed now.
  void EmitContribution(int step) {
    if (done_[At(step)]) return;
    const int tree = forest_.tree_of[At(forest_.steps[At(step)].value)];
    if (!trees_[At(tree)]) return;
    const int contribution = ContributionOf(forest_, step);
    if (!forest_.steps[At(contribution)].uses.IsSubsetOf(seen_)) return;
    std::vector<int> steps;
    AppendSubtree(forest_, contribution, done_, steps);
    for (int each : steps) Emit(each);
  }

  const Forest& forest_;
  const std::vector<bool>& trees_;
  std::vector<int> missing_;  ///< by value: contributions to come
  std::vector<bool> done_;
  LabelSet seen_;
  std::vector<int> result_;
};

/// `order` with `block` directly after place `after`.
std::vector<int> Moved(const std::vector<int>& order, std::size_t after,
                       const std::vector<int>& block, const std::vector<bool>& in_block) {
  std::vector<int> result(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(after) + 1);
  result.reserve(order.size());
  result.insert(result.end(), block.begin(), block.end());
  for (std::size_t place = after + 1; place < order.size(); ++place) {
    if (!in_block[At(order[place])]) result.push_back(order[place]);
  }
  return result;
}

/// One pass of Algorithm 4.3 over an order.
class Slicer {
 public:
  Slicer(const Forest& forest, std::vector<int> order, OrderPricer& pricer, std::int64_t& budget)
      : forest_(forest),
        pricer_(pricer),
        budget_(budget),
        order_(std::move(order)),
        cost_(pricer.Price(order_)),
        missing_(forest.steps_of.size()),
        done_(forest.steps.size(), false),
        in_block_(forest.steps.size(), false),
        seen_(forest.label_count()) {
    for (std::size_t value = 0; value < missing_.size(); ++value) {
      missing_[value] = static_cast<int>(forest.steps_of[value].size());
    }
  }

  std::vector<int> Run() {
    for (std::size_t place = 0; place < order_.size() && budget_ > 0; ++place) {
      const Step& step = forest_.steps[At(order_[place])];
      done_[At(order_[place])] = true;
      seen_ |= step.labels;
      const int label = forest_.label_of[At(step.value)];
      if (--missing_[At(step.value)] == 0 && label >= 0) seen_.Insert(label);
      TryTargets(place, step);
    }
    return std::move(order_);
  }

 private:
  /// Expressions that read a label of the source are tried after it.
  void TryTargets(std::size_t place, const Step& source) {
    for (int label = 0; label < forest_.label_count(); ++label) {
      const bool own = forest_.label_of[At(source.value)] == label;
      if (!own && !source.labels.Contains(label)) continue;
      for (int reader : forest_.readers[At(label)]) {
        if (!done_[At(reader)]) TryMove(place, reader);
        if (budget_ <= 0) return;
      }
    }
  }

  /// The maximal expression around the target, then smaller ones.
  void TryMove(std::size_t place, int target) {
    std::vector<int> maximal = MaximalExpression(forest_, target, seen_, done_);
    if (maximal.empty()) return;
    std::vector<int> minimal;
    AppendSubtree(forest_, target, done_, minimal);
    const bool same = minimal.size() == maximal.size();
    if (!Move(place, maximal) && !same) Move(place, minimal);
  }

  bool Move(std::size_t place, const std::vector<int>& block) {
    if (std::equal(block.begin(), block.end(),
                   order_.begin() + static_cast<std::ptrdiff_t>(place) + 1)) {
      return false;  // it is there
    }
    for (int step : block) in_block_[At(step)] = true;
    std::vector<int> order = Moved(order_, place, block, in_block_);
    for (int step : block) in_block_[At(step)] = false;
    budget_ -= static_cast<std::int64_t>(order.size());
    const OrderCost cost = pricer_.Price(order);
    if (cost >= cost_) return false;
    cost_ = cost;
    order_ = std::move(order);
    return true;
  }

  const Forest& forest_;
  OrderPricer& pricer_;
  std::int64_t& budget_;
  std::vector<int> order_;
  OrderCost cost_;
  std::vector<int> missing_;
  std::vector<bool> done_, in_block_;
  LabelSet seen_;
};

/// Lets trees take part in hoisting, one after the other, as long as that makes the order cheaper.
std::vector<int> HoistTrees(const Forest& forest, std::vector<int> order, OrderPricer& pricer,
                            std::int64_t& budget) {
  std::vector<bool> trees(forest.roots.size(), false);
  const std::vector<int> given = order;
  OrderCost cost = pricer.Price(order);
  const auto attempt = [&](const std::vector<bool>& taking_part) {
    std::vector<int> hoisted = HoistContributions(forest, given, taking_part);
    budget -= 4 * static_cast<std::int64_t>(given.size());
    const OrderCost hoisted_cost = pricer.Price(hoisted);
    if (hoisted_cost >= cost) return;
    cost = hoisted_cost;
    order = std::move(hoisted);
    trees = taking_part;
  };
  attempt(std::vector<bool>(trees.size(), true));
  for (std::size_t tree = 0; tree < trees.size() && budget > 0; ++tree) {
    std::vector<bool> other = trees;
    other[tree] = !other[tree];
    attempt(other);
  }
  return order;
}

}  // namespace

std::vector<int> HoistContributions(const Forest& forest, const std::vector<int>& order,
                                    const std::vector<bool>& trees) {
  return Hoister(forest, trees).Run(order);
}

std::vector<int> MaximalExpression(const Forest& forest, int step, const LabelSet& seen,
                                   const std::vector<bool>& done) {
  const auto ready = [&](int each) { return forest.steps[At(each)].uses.IsSubsetOf(seen); };
  if (!ready(step)) return {};
  int top = step;
  while (true) {
    const int reader = forest.reader_of[At(forest.steps[At(top)].value)];
    if (reader < 0 || !ready(reader)) break;
    top = reader;
  }
  // An accumulation is taken whole where all of it is ready.
  const std::vector<int>& contributions = forest.steps_of[At(forest.steps[At(top)].value)];
  std::vector<int> steps;
  if (std::all_of(contributions.begin(), contributions.end(), ready)) {
    for (int each : contributions) AppendSubtree(forest, each, done, steps);
  } else {
    AppendSubtree(forest, top, done, steps);
  }
  return steps;
}

std::vector<int> SliceAndInterleave(const Forest& forest, std::vector<int> order,
                                    OrderPricer& pricer, std::int64_t budget) {
  OrderCost cost = pricer.Price(order);
  while (budget > 0) {
    order = HoistTrees(forest, std::move(order), pricer, budget);
    order = Slicer(forest, std::move(order), pricer, budget).Run();
    const OrderCost now = pricer.Price(order);
    if (now >= cost) break;
    cost = now;
  }
  return order;
}

}  // namespace stencilgen::passes
