#pragma once

#include <cstdint>

#include "machine/cpu.h"

namespace stencilgen::driver {

/// A loop whose turns may run in tiles, in numbers.
struct BandExtent {
  std::int64_t rows = 0;     ///< points along the first iterator
  std::int64_t columns = 1;  ///< along the second
  std::int64_t bytes = 0;    ///< of all arrays for a point of these two
  std::int64_t slope = 1;    ///< elements that a tile leans in a turn
  std::int64_t turns = 0;
};

/// How wide diamonds are, and strips across them. No size: the loop runs turn by turn.
struct BandSize {
  std::int64_t size = 0;
  std::int64_t strip = 0;
};

/// What generated code would choose on the CPU: stencilgen::ChooseBandTile of the runtime
/// (runtime/include/stencilgen/band.hpp), which asks the machine that it runs on. A test compares
/// both.
BandSize PredictBandTile(const BandExtent& extent, const machine::Cpu& cpu);

}  // namespace stencilgen::driver
