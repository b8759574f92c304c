#include "tools/explain/band_tile.h"

#include <algorithm>

namespace stencilgen::driver {

BandTile PredictBandTile(const BandExtent& extent, const machine::Cpu& cpu) {
  if (cpu.caches.empty()) return {};
  // The cache that a core has for itself: the second level, where there is one.
  const machine::Cache& own = cpu.caches[std::min<std::size_t>(1, cpu.caches.size() - 1)];
  return BandTileFor(extent, {own.bytes, cpu.caches.back().bytes, std::max(cpu.cores, 1)});
}

}  // namespace stencilgen::driver
