#ifndef STENCILGEN_BAND_TILE_HPP
#define STENCILGEN_BAND_TILE_HPP

#include <algorithm>
#include <cmath>

// Tiles of several turns on a CPU. Used by generated code, and by the compiler to say what that
// will do on a machine.

namespace stencilgen {

/// The tiles of a loop whose turns are computed several at a time: how wide diamonds are, and
/// strips across them. No size: turn by turn is better.
struct BandTile {
  long long size = 0;
  long long strip = 0;
};

/// A loop whose turns may run in tiles.
struct BandExtent {
  long long rows = 0;     ///< points along the first iterator
  long long columns = 1;  ///< along the second
  long long bytes = 0;    ///< of all arrays for a point of these two
  long long slope = 1;    ///< elements that a tile leans in a turn
  long long turns = 0;
  long long points = 1;  ///< of the first iterator that a kernel computes side by side
};

/// Bytes of the cache that a core has for itself, and of the last level; the loop's threads.
struct BandCaches {
  long long core = 0, last = 0;
  long long threads = 1;
};

/// The width of strips of which a first-level cache holds what rows of a turn share with those
/// after them along the first iterator; four at least, since a tile's turns have ends in each
/// strip.
inline long long NarrowStrip(const BandExtent& extent) {
  constexpr double kFirstCache = 40 << 10;
  constexpr long long kLeast = 4;
  // Half of the arrays is read, in 2 * slope + points rows, and the other half written.
  const auto rows = static_cast<double>(extent.bytes * (extent.slope + extent.points));
  return std::max(kLeast, static_cast<long long>(kFirstCache / rows));
}

/// The tiles of a loop on a machine with such caches.
///
/// A diamond of size B and a strip of 2 B touch B rows of at most 3 B columns in all their turns.
/// Where a core's cache holds that for a B of 32 or more, its turns never wait for memory. Where a
/// point of the two iterators is itself a long row, such diamonds would be flat, and a tile moves
/// 4 * slope / B of its elements a turn to memory and back: they are rather up to 32 wide, in
/// strips of which the cache holds what two turns share, B / 2 rows, and a first-level cache what
/// two planes of a turn do (NarrowStrip). A wavefront has rows / B tiles, enough for all threads.
/// Of few turns, diamonds are cut off above and below, but no narrower: rows of some hundred
/// elements are fast, and little lies between them.
inline BandTile BandTileFor(const BandExtent& extent, const BandCaches& caches) {
  BandTile tile;
  constexpr long long kLeastTurns = 2;
  constexpr long long kLeastSize = 4;
  const long long rows = extent.rows;
  const long long columns = extent.columns;
  const long long bytes = extent.bytes;
  const long long slope = extent.slope;
  const long long turns = extent.turns;
  const long long threads = caches.threads;
  const double cache = 0.75 * static_cast<double>(caches.core);
  const double all =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(bytes);
  if (turns < kLeastTurns || rows < 1 || columns < 1) return tile;
  const double points = cache / static_cast<double>(bytes);
  // A row by itself is swept so often that it is rather in a first-level cache, in half of it.
  constexpr double kRow = 16 << 10;
  auto size = static_cast<long long>(columns > 1 ? std::sqrt(points / 3)
                                                 : kRow / static_cast<double>(bytes));
  // Rows that are shorter than a strip leave room for more of them.
  if (columns > 1 && columns < 2 * size) {
    size = static_cast<long long>(points / static_cast<double>(columns));
  }
  // Single turns are as fast where the cores' own caches hold all. A level that cores share gives
  // less than tiles take from those, but as much as flat ones do. Machines are shared: of what it
  // has, a core gets so much at most.
  constexpr long long kFlat = 32;
  constexpr long long kMostOfCore = 4LL << 20;
  const bool is_flat = columns > 1 && size < kFlat;
  const long long own = caches.core * threads;
  const long long shared_level = std::min(caches.last / 2, kMostOfCore * threads);
  if (all < static_cast<double>(is_flat ? std::max(own, shared_level) : own)) return tile;
  // What two turns of a tile share may fill the cache: size / 2 rows of a strip. One thread waits
  // for no other one, so that it may have fewer tiles, wider ones in narrower strips: wide enough
  // for all turns in two wavefronts, where that is little more.
  constexpr long long kWide = 32;
  constexpr long long kWideAlone = 48;
  constexpr long long kTwoWaves = 64;
  constexpr double kNarrow = 8;
  const double shared = 2 * static_cast<double>(caches.core) / static_cast<double>(bytes);
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
  const auto held_rows = static_cast<long long>(shared / static_cast<double>(size));
  const long long fitting =
      is_wide ? std::min(held_rows, NarrowStrip(extent)) : NarrowStrip(extent);
  tile.strip = std::clamp(fitting, slope, tile.strip);
  return tile;
}

}  // namespace stencilgen

#endif  // STENCILGEN_BAND_TILE_HPP
