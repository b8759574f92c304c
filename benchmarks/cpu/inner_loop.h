#pragma once

#include <string>
#include <vector>

namespace stencilgen::tables {

/// What one turn of a loop does with floating-point registers.
struct LoopCount {
  int accesses = 0;      ///< instructions with such a register and an operand in memory
  int on_stack = 0;      ///< those of them in the function's own frame: spills and reloads
  int constant = 0;      ///< those that read a constant, or one number into all lanes
  int instructions = 0;  ///< with such a register
  bool vectors = false;  ///< some of the registers are wider than 16 bytes
};

/// The innermost loop with the most floating-point instructions of a function in an assembly file
/// of x86-64 (AT&T syntax, as GCC and Clang write it); all zero where there is none. Loops of
/// vectors count before those that compute what they leave over. A loop is what lies between a
/// label and the last jump back to it.
LoopCount CountInnerLoop(const std::string& assembly, const std::string& function);

}  // namespace stencilgen::tables
