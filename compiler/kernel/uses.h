#pragma once

#include <cstddef>
#include <vector>

#include "kernel/body.h"

namespace stencilgen::kernel {

/// Where values are defined and used, as places in Body::instructions, ascending.
struct Uses {
  std::vector<std::vector<std::size_t>> definitions;  ///< by value: its contributions
  std::vector<std::vector<std::size_t>> uses;  ///< by value: instructions that have it as operand
};
Uses FindUses(const Body& body);

/// The dependence graph without the order of contributions ([S] 5.3.3): by instruction, those that
/// must come before it, ascending: all contributions to its operands.
std::vector<std::vector<std::size_t>> Predecessors(const Body& body, const Uses& uses);

/// The body with its instructions in another order. Requires: `order` has each instruction once.
Body InOrder(Body body, const std::vector<std::size_t>& order);

}  // namespace stencilgen::kernel
