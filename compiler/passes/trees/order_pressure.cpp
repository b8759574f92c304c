#include "passes/trees/order_pressure.h"

#include <algorithm>
#include <variant>

#include "passes/trees/forest.h"
#include "support/scalar_type.h"

namespace stencilgen::passes {

OrderPricer::OrderPricer(const kernel::Body& body, int free_coefficients)
    : free_coefficients_(free_coefficients),
      uses_(body.instructions.size()),
      ranges_(body.values.size()),
      live_(2 * body.instructions.size() + 1),
      coefficients_(2 * body.instructions.size() + 1) {
  for (std::size_t k = 0; k < uses_.size(); ++k) {
    const kernel::Instruction& instruction = body.instructions[k];
    for (kernel::ValueId operand : instruction.operands) {
      const kernel::Value& value = body.values[operand];
      const bool counts = kernel::TakesRegister(value);
      if (!counts && !kernel::IsCoefficient(value)) continue;
      const Kind kind = !counts                      ? Kind::Coefficient
                        : kernel::IsTemporary(value) ? Kind::Temporary
                                                     : Kind::Loaded;
      uses_[k].push_back({static_cast<int>(operand.index), kind, false});
    }
    if (!kernel::TakesRegister(body.values[instruction.dest])) continue;
    uses_[k].push_back({static_cast<int>(instruction.dest.index), Kind::Temporary, true});
  }
  for (const kernel::Result& result : body.results) {
    if (result.sink == kernel::Sink::Keep) kept_.push_back(static_cast<int>(result.value.index));
  }
}

OrderCost OrderPricer::Price(const std::vector<int>& order) {
  std::fill(ranges_.begin(), ranges_.end(), Range{});
  std::fill(live_.begin(), live_.end(), 0);
  std::fill(coefficients_.begin(), coefficients_.end(), 0);
  for (std::size_t place = 0; place < order.size(); ++place) {
    for (const Use& use : uses_[At(order[place])]) {
      Range& range = ranges_[At(use.value)];
      if (range.first < 0) range = {static_cast<int>(place), 0, false, use.kind};
      range.last = static_cast<int>(place);
      range.read_last = !use.defines;
    }
  }
  for (const int value : kept_) {
    ranges_[At(value)].last = static_cast<int>(order.size()) - 1;
    ranges_[At(value)].read_last = false;
  }
  // Two points an instruction, before and after, as kernel::Pressures.
  for (const Range& range : ranges_) {
    if (range.first < 0) continue;
    std::vector<int>& change = range.kind == Kind::Coefficient ? coefficients_ : live_;
    ++change[At(2 * range.first + (range.kind == Kind::Temporary ? 1 : 0))];
    --change[At(2 * range.last + (range.read_last ? 1 : 2))];
  }
  OrderCost cost;
  int live = 0, coefficients = 0;
  for (std::size_t point = 0; point < 2 * order.size(); ++point) {
    live += live_[point];
    coefficients += coefficients_[point];
    cost.peak = std::max(cost.peak, live);
    cost.coefficients = std::max(cost.coefficients, coefficients - free_coefficients_);
    if (point % 2 == 1) cost.area += live;
  }
  return cost;
}

}  // namespace stencilgen::passes
