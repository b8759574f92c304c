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
/// tiles, enough for all threads. Of few turns, diamonds are cut off above and below, but no
/// narrower: rows of some hundred elements are fast, and little lies between them.
inline BandTile ChooseBandTile(long long rows, long long columns, long long bytes, long long slope,
                               long long turns) {
  BandTile tile;
  constexpr long long kLeastTurns = 2;
  constexpr long long kLeastSize = 4;
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
  // A row by itself is swept so often that it is rather in a first-level cache, in half of it.
  constexpr double kRow = 16 << 10;
  long long size = static_cast<long long>(columns > 1 ? std::sqrt(points / 3)
                                                      : kRow / static_cast<double>(bytes));
  // Rows that are shorter than a strip leave room for more of them.
  if (columns > 1 && columns < 2 * size) {
    size = static_cast<long long>(points / static_cast<double>(columns));
  }
  // What two turns of a tile share may fill the cache: size / 2 rows of a strip. One thread waits
  // for no other one, so that it may have fewer tiles, wider ones in narrower strips: wide enough
  // for all turns in two wavefronts, where that is little more.
  constexpr long long kWide = 32;
  constexpr long long kWideAlone = 48;
  constexpr long long kTwoWaves = 64;
  constexpr double kNarrow = 8;
  const double shared = 2 * static_cast<double>(CoreCacheBytes()) / static_cast<double>(bytes);
  const double square = std::sqrt(2 * shared);
  const double alone = std::max(square, shared / kNarrow);
  const long long height = 2 * slope * turns;
  const long long widest = height <= kTwoWaves ? std::max(kWideAlone, height) : kWideAlone;
  const long long most = threads == 1 ? std::min(widest, static_cast<long long>(alone))
                                      : std::min(kWide, static_cast<long long>(square));
  const long long wide = std::min(most, rows / (2 * threads));
  const bool is_wide = columns > 1 && size < wide;
  if (is_wide) size = wide;
  size = std::min(size, rows / threads);
  size -= size % (2 * slope);
  if (size < kLeastSize * slope) return tile;
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
