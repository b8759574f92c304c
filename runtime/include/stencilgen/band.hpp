#ifndef STENCILGEN_BAND_HPP
#define STENCILGEN_BAND_HPP

#include <algorithm>
#include <cmath>

#include "stencilgen/cpp.hpp"

namespace stencilgen {

/// The tiles of a loop whose turns are computed several at a time: how wide diamonds are, and
/// strips across them. No size: turn by turn is better.
struct BandTile {
  long long size = 0;
  long long strip = 0;
};

/// `rows`, `columns`: points along the first and the second iterator; `bytes`: of all arrays for a
/// point of these two; `slope`: elements that a tile leans in a turn.
///
/// A diamond of size B and a strip of 2 B touch B rows of at most 3 B columns in all their turns.
/// Where a core's cache holds that for a B of 32 or more, its turns never wait for memory. Where a
/// point of the two iterators is itself a long row, such diamonds would be flat, and a tile moves
/// 4 * slope / B of its elements a turn to memory and back: they are rather up to 32 wide, in
/// strips of which the cache holds what two turns share, B / 2 rows. A wavefront has rows / B
/// tiles, enough for all threads.
inline BandTile ChooseBandTile(long long rows, long long columns, long long bytes, long long slope,
                               long long turns) {
  BandTile tile;
  constexpr long long kLeastTurns = 4;
  const double cache = 0.75 * static_cast<double>(CoreCacheBytes());
  const double all =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(bytes);
  const long long threads = Threads();
  // Single turns are as fast where the last level of caches holds all. Machines are shared: of what
  // it has, a core gets so much at most.
  constexpr double kMostOfCore = 8.0 * (1 << 20);
  const double held =
      std::min(static_cast<double>(CacheBytes()) / 2, kMostOfCore * static_cast<double>(threads));
  if (turns < kLeastTurns || rows < 1 || columns < 1 || all < std::max(held, cache)) return tile;
  const double points = cache / static_cast<double>(bytes);
  long long size =
      columns > 1 ? static_cast<long long>(std::sqrt(points / 3)) : static_cast<long long>(points);
  // Rows that are shorter than a strip leave room for more of them.
  if (columns > 1 && columns < 2 * size) {
    size = static_cast<long long>(points / static_cast<double>(columns));
  }
  // What two turns of a tile share may fill the cache: size / 2 rows of a strip.
  constexpr long long kWide = 32;
  const double shared = 2 * static_cast<double>(CoreCacheBytes()) / static_cast<double>(bytes);
  const long long wide =
      std::min({kWide, static_cast<long long>(std::sqrt(2 * shared)), rows / (2 * threads)});
  const bool is_wide = columns > 1 && size < wide;
  if (is_wide) size = wide;
  size = std::min({size, 2 * slope * turns, rows / threads});
  size -= size % (2 * slope);
  if (size < kLeastTurns * slope) return tile;
  tile.size = size;
  tile.strip = 2 * size;
  if (is_wide) {
    tile.strip =
        std::clamp(static_cast<long long>(shared / static_cast<double>(size)), slope, tile.strip);
  }
  return tile;
}

}  // namespace stencilgen

#endif
