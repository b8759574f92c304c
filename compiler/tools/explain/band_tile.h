#pragma once

#include "machine/cpu.h"
#include "stencilgen/band_tile.hpp"

namespace stencilgen::driver {

/// What generated code would choose on the CPU with all of its cores, which asks the machine that
/// it runs on. No size where the CPU's caches are not known.
BandTile PredictBandTile(const BandExtent& extent, const machine::Cpu& cpu);

}  // namespace stencilgen::driver
