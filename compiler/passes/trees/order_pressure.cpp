#include "passes/trees/order_pressure.h"

#include <algorithm>

namespace stencilgen::passes {

OrderPricer::OrderPricer(const kernel::Body& body)
    : uses_(body.instructions.size()),
      loaded_(body.values.size(), false),
      first_(body.values.size()),
      last_(body.values.size()),
      change_(2 * body.instructions.size() + 1),
      read_last_(body.values.size()) {
  for (std::size_t k = 0; k < uses_.size(); ++k) {
    const kernel::Instruction& instruction = body.instructions[k];
    for (kernel::ValueId operand : instruction.operands) {
      const kernel::Value& value = body.values[operand];
      if (!kernel::TakesRegister(value)) continue;
      loaded_[operand.index] = !kernel::IsTemporary(value);
      uses_[k].push_back({static_cast<int>(operand.index), false});
    }
    uses_[k].push_back({static_cast<int>(instruction.dest.index), true});
  }
}

OrderCost OrderPricer::Price(const std::vector<int>& order) {
  std::fill(first_.begin(), first_.end(), -1);
  std::fill(change_.begin(), change_.end(), 0);
  for (std::size_t place = 0; place < order.size(); ++place) {
    for (const Use& use : uses_[static_cast<std::size_t>(order[place])]) {
      const auto value = static_cast<std::size_t>(use.value);
      if (first_[value] < 0) first_[value] = static_cast<int>(place);
      last_[value] = static_cast<int>(place);
      read_last_[value] = !use.defines;
    }
  }
  // Two points an instruction, before and after, as kernel::Pressures.
  for (std::size_t value = 0; value < first_.size(); ++value) {
    if (first_[value] < 0) continue;
    ++change_[static_cast<std::size_t>(2 * first_[value] + (loaded_[value] ? 0 : 1))];
    --change_[static_cast<std::size_t>(2 * last_[value] + (read_last_[value] ? 1 : 2))];
  }
  OrderCost cost;
  int live = 0;
  for (std::size_t point = 0; point < 2 * order.size(); ++point) {
    live += change_[point];
    cost.peak = std::max(cost.peak, live);
    if (point % 2 == 1) cost.area += live;
  }
  return cost;
}

}  // namespace stencilgen::passes
