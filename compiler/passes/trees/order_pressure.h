#pragma once

#include <tuple>
#include <vector>

#include "kernel/body.h"

namespace stencilgen::passes {

/// What an order of instructions takes: `peak` is kernel::MaxLive of the body in that order, `area`
/// the sum over all instructions of the values that are live after it.
struct OrderCost {
  int peak = 0;
  long area = 0;
  friend auto operator<=>(const OrderCost&, const OrderCost&) = default;
};

/// Prices orders of one body's instructions, each in linear time.
class OrderPricer {
 public:
  explicit OrderPricer(const kernel::Body& body);

  /// Requires: `order` has each instruction once; operands are complete before they are used.
  OrderCost Price(const std::vector<int>& order);

 private:
  struct Use {
    int value = 0;
    bool defines = false;
  };
  std::vector<std::vector<Use>> uses_;  ///< by instruction: operands in registers, then the target
  std::vector<bool> loaded_;            ///< by value
  std::vector<int> first_, last_;       ///< by value, by place in the order
  std::vector<int> change_;
  std::vector<bool> read_last_;
};

}  // namespace stencilgen::passes
