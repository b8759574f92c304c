#pragma once

#include <cstddef>
#include <vector>

#include "kernel/body.h"

namespace stencilgen::kernel {

/// The instructions over which a value holds a register; `first` > `last` for one that takes none.
///
/// A temporary is live from its first contribution, an element from the instruction that first uses
/// it (it is loaded there), both to the last use; a result at least to its last contribution, after
/// which it is stored, or to the body's end where it is kept. [S] 5.2.
struct LiveRange {
  std::size_t first = 1, last = 0;
  bool used = false;  ///< `last` reads it as an operand: its register is free for the destination
};
/// By value.
std::vector<LiveRange> LiveRanges(const Body& body);

/// Registers taken just before each instruction, its operands loaded, and just after it. An operand
/// that dies gives its register to the destination.
struct Pressure {
  int before = 0, after = 0;
};
std::vector<Pressure> Pressures(const Body& body);

/// The most values that are live at one point of the body ([S] 5.2); 0 for an empty one.
int MaxLive(const Body& body);

/// The most coefficients that are between their first and their last use at one instruction.
int MaxLiveCoefficients(const Body& body);

}  // namespace stencilgen::kernel
