#pragma once

#include <cstdint>

#include "machine/gpu.h"

namespace stencilgen::plan {

/// What a launch asks of a multiprocessor for each of its blocks.
struct BlockNeeds {
  int threads = 1;
  int registers = 0;              ///< a thread; 0 where they are not known, and then do not count
  std::int64_t shared_bytes = 0;  ///< static and dynamic together
};

/// What keeps another block from an SM.
enum class OccupancyLimit : std::uint8_t { Blocks, Warps, Registers, SharedMemory };

/// How many blocks of one kernel an SM runs at a time.
struct Occupancy {
  int blocks = 0;  ///< 0: not even one fits
  int warps = 0;
  /// The tightest limit; of equally tight ones the first in the order of OccupancyLimit.
  OccupancyLimit limit = OccupancyLimit::Blocks;
};

/// The blocks of an SM by the hardware's rules of allocation: registers go to whole warps, in units
/// and from the part of the register file that runs the warp; shared memory goes to blocks, in
/// units and with the reserved bytes. Shared memory is taken to have the largest share of the L1
/// cache, which is what a kernel that uses it asks for.
/// Requires: needs.threads >= 1; registers and shared_bytes not negative.
Occupancy FindOccupancy(const machine::Gpu& device, const BlockNeeds& needs);

}  // namespace stencilgen::plan
