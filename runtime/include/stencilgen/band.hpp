#ifndef STENCILGEN_BAND_HPP
#define STENCILGEN_BAND_HPP

#include "stencilgen/band_tile.hpp"
#include "stencilgen/cpp.hpp"

namespace stencilgen {

/// The tiles of a loop on this machine. The arguments are those of BandExtent.
inline BandTile ChooseBandTile(long long rows, long long columns, long long bytes, long long slope,
                               long long turns, long long points = 1) {
  return BandTileFor(
      {rows, columns, bytes, slope, turns, points},
      {static_cast<long long>(CoreCacheBytes()), static_cast<long long>(CacheBytes()), Threads()});
}

}  // namespace stencilgen

#endif  // STENCILGEN_BAND_HPP
