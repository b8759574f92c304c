#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "kernel/body.h"

namespace stencilgen::passes {

/// What an order of instructions takes, first things first: `peak` is kernel::MaxLive of the body
/// in that order, `coefficients` how many more than those that are free are between their first and
/// their last use at one instruction, `area` the sum over all instructions of the values that are
/// live after it.
struct OrderCost {
  int peak = 0;
  int coefficients = 0;
  long area = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
  friend auto operator<=>(const OrderCost&, const OrderCost&) = default;
};

/// Prices orders of one body's instructions, each in linear time.
class OrderPricer {
 public:
  explicit OrderPricer(const kernel::Body& body, int free_coefficients);

  /// Requires: `order` has each instruction once; operands are complete before they are used.
  OrderCost Price(const std::vector<int>& order);

 private:
  enum class Kind : std::uint8_t { Loaded, Temporary, Coefficient };
  struct Use {
    int value = 0;
    Kind kind = Kind::Loaded;
    bool defines = false;
  };
  /// From the place of the first use to that of the last.
  struct Range {
    int first = -1, last = -1;
    bool read_last = false;
    Kind kind = Kind::Loaded;
  };

  int free_coefficients_;
  std::vector<std::vector<Use>> uses_;    ///< by instruction: operands, then the target
  std::vector<int> kept_;                 ///< results that stay to the end
  std::vector<Range> ranges_;             ///< by value
  std::vector<int> live_, coefficients_;  ///< changes at the points before and after instructions
};

}  // namespace stencilgen::passes
