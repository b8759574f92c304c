#include "passes/trees/slice_expressions.h"

#include <algorithm>
#include <utility>

namespace stencilgen::passes {
namespace {

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
        place_of_(forest.steps.size()),
        missing_(forest.steps_of.size()),
        done_(forest.steps.size(), false),
        in_block_(forest.steps.size(), false),
        seen_(forest.label_count()) {
    for (std::size_t value = 0; value < missing_.size(); ++value) {
      missing_[value] = static_cast<int>(forest.steps_of[value].size());
    }
    Number();
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
    LabelSet labels = source.labels;
    const int own = forest_.label_of[At(source.value)];
    if (own >= 0 && missing_[At(source.value)] == 0) labels.Insert(own);
    labels.ForEach([&](int label) {
      for (int reader : forest_.readers[At(label)]) {
        if (!done_[At(reader)] && budget_ > 0) TryMove(place, reader);
      }
    });
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
    const bool promising = Gain(place, block) > 0;
    std::vector<int> order;
    if (promising) order = Moved(order_, place, block, in_block_);
    for (int step : block) in_block_[At(step)] = false;
    if (!promising) return false;
    budget_ -= static_cast<std::int64_t>(order.size());
    const OrderCost cost = pricer_.Price(order);
    if (cost >= cost_) return false;
    cost_ = cost;
    order_ = std::move(order);
    Number();
    return true;
  }

  void Number() {
    for (std::size_t place = 0; place < order_.size(); ++place) {
      place_of_[At(order_[place])] = static_cast<int>(place);
    }
  }

  /// By how many places the live ranges of labels get shorter if the block follows `place`, less
  /// those by which that of its result gets longer. Nothing else can make the order cheaper.
  int Gain(std::size_t place, const std::vector<int>& block) {
    const int to = static_cast<int>(place);
    LabelSet labels(forest_.label_count());
    for (int step : block) labels |= forest_.steps[At(step)].labels;
    int gain = 0;
    labels.ForEach([&](int label) {
      int last = to, last_elsewhere = to;
      budget_ -= 1 + static_cast<std::int64_t>(forest_.readers[At(label)].size()) / 4;
      for (int reader : forest_.readers[At(label)]) {
        last = std::max(last, place_of_[At(reader)]);
        if (!in_block_[At(reader)])
          last_elsewhere = std::max(last_elsewhere, place_of_[At(reader)]);
      }
      gain += last - last_elsewhere;
    });
    if (gain == 0) return 0;
    const int result = forest_.steps[At(block.back())].value;
    int first = place_of_[At(block.back())];
    for (int step : forest_.steps_of[At(result)]) first = std::min(first, place_of_[At(step)]);
    return gain;
  }

  const Forest& forest_;
  OrderPricer& pricer_;
  std::int64_t& budget_;
  std::vector<int> order_;
  OrderCost cost_;
  std::vector<int> place_of_;  ///< by step
  std::vector<int> missing_;   ///< by value: contributions to come
  std::vector<bool> done_, in_block_;
  LabelSet seen_;
};

}  // namespace

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

std::vector<int> SliceExpressions(const Forest& forest, std::vector<int> order, OrderPricer& pricer,
                                  std::int64_t& budget) {
  return Slicer(forest, std::move(order), pricer, budget).Run();
}

}  // namespace stencilgen::passes
