#pragma once

#include "kernel/body.h"

namespace stencilgen::passes {

/// Cycles from the start of an instruction to the start of one that uses its value, for the
/// priorities of [S] 5.3.5; only their ratios matter. Contributions count as what they compute.
struct Latencies {
  int arithmetic = 4;  ///< + - *, multiply-adds, minimum, maximum, absolute value
  int move = 1;        ///< copies, signs, comparisons, selections, logic
  int conversion = 6;
  int division = 32;
  int root = 40;
  int function = 80;  ///< the other functions of the library
};

/// An NVIDIA GPU with full double-precision units: arithmetic is pipelined in hardware, division,
/// roots and functions are sequences of instructions. Measured by microbenchmarks of the field.
inline constexpr Latencies kGpuLatencies = {8, 4, 12, 160, 180, 300};
/// A recent x86 core with AVX2 or AVX-512: Skylake's and its successors' published tables.
inline constexpr Latencies kCpuLatencies = {4, 1, 7, 15, 20, 100};

int LatencyOf(const Latencies& latencies, const kernel::Operation& operation);

}  // namespace stencilgen::passes
