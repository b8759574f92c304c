#pragma once

#include <cstddef>
#include <tuple>

#include "kernel/body.h"

namespace stencilgen::passes {

/// What decides between two orders of a body, first things first.
struct BodyCost {
  int live = 0;  ///< MAXLIVE, with coefficients and addresses as the rules say
  std::size_t instructions = 0;
  long long sum = 0;  ///< of live values over all instructions

  friend bool operator<(const BodyCost& a, const BodyCost& b) {
    return std::tie(a.live, a.instructions, a.sum) < std::tie(b.live, b.instructions, b.sum);
  }
};

/// What takes registers beside values.
struct RegisterRules {
  /// Coefficients between their first and last use that cost nothing; each one more counts twice:
  /// it comes to a register and is spilled from it.
  int free_coefficients = 0;
  /// Rows of arrays from which something is loaded have an address in a register of the same kind.
  bool addresses = false;
};
/// A GPU keeps coefficients in its 63 uniform registers, of 32 bits, beside addresses and bounds.
extern const RegisterRules kGpuRegisters;
/// A CPU has coefficients as operands in memory, and registers of another kind for addresses.
extern const RegisterRules kCpuRegisters;

BodyCost CostOf(const kernel::Body& body, const RegisterRules& rules);

}  // namespace stencilgen::passes
