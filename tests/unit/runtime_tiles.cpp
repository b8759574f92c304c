#include "unit/runtime_tiles.h"

#define STENCILGEN_CORE_CACHE_BYTES stencilgen::testing::kCoreCacheBytes
#define STENCILGEN_CACHE_BYTES static_cast<std::size_t>(stencilgen::testing::kLastCacheBytes)
#include "stencilgen/band.hpp"

namespace stencilgen::testing {

RuntimeBand RuntimeBandTile(long long rows, long long columns, long long bytes, long long slope,
                            long long turns) {
  const BandTile tile = ChooseBandTile(rows, columns, bytes, slope, turns);
  return {tile.tiles, tile.strip};
}

long long RuntimeTileRows(long long rows, long long row_bytes, long long rim_bytes,
                          long long planes) {
  return TileRows(rows, row_bytes, rim_bytes, planes);
}

long long RuntimeThreads() {
  return Threads();
}

}  // namespace stencilgen::testing
