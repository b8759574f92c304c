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

/// The part of their time in which threads compute that share wavefronts of tiles of that size:
/// they wait for the one with the most. Wavefronts begin with half a tile or with a whole one, by
/// turns, and end with what the domain leaves of one; a thread that is free takes the next one.
inline double BandBalance(long long rows, long long size, long long threads) {
  const double half = static_cast<double>(size) / 2;
  double work = 0;
  double time = 0;
  for (const bool whole : {false, true}) {
    const double first = whole ? 1 : 0.5;
    const double end = static_cast<double>(rows) + (whole ? 0 : half);
    const auto tiles = static_cast<long long>(end / (2 * half));  // but for the last one
    // Of which the domain has so much beyond its middle, as a part of its half.
    const double beyond = end / half - static_cast<double>(2 * tiles + 1);
    const double lost = (1 - std::abs(beyond)) * (1 - std::abs(beyond)) / 2;
    const double last = beyond < 0 ? lost : 1 - lost;
    work += static_cast<double>(tiles - 1) + first + last;
    // Tiles go round: the thread with the first one is always the next that is free.
    const long long beside = tiles % threads;  // threads from that one to the one with the last
    const double ends = beside == 0 ? first + last - 1 : std::max(first, last);
    const double others = threads > 1 && tiles > 0 ? 0 : ends;
    time += static_cast<double>(tiles / threads) + (beside > 1 ? 1 : std::max(ends, others));
  }
  return work / (static_cast<double>(threads) * time);
}

/// The size up to `most` with which threads wait least for each other and for memory: of its
/// elements a tile moves 4 * slope / size a turn.
inline long long BalancedSize(const BandExtent& extent, long long most, long long threads) {
  constexpr long long kTried = 32;
  const long long step = 2 * extent.slope;
  long long best = most - most % step;
  double best_time = 0;
  for (long long size = best; size >= std::max(step, most / 8);
       size -= std::max(1LL, most / step / kTried) * step) {
    const double moved = 4 * static_cast<double>(extent.slope) / static_cast<double>(size);
    const double time = (1 + moved) / BandBalance(extent.rows, size, threads);
    if (best_time != 0 && time >= best_time) continue;
    best = size;
    best_time = time;
  }
  return best;
}

/// The tiles of a loop on a machine with such caches.
///
/// A diamond of size B and a strip of 2 B touch B rows of at most 3 B columns in all their turns.
/// Where a core's cache holds that for a B of 32 or more, its turns never wait for memory; large
/// ones are half as wide, in strips of 6 B. Where a point of the two iterators is itself a long
/// row, such diamonds would be flat, and a tile moves 4 * slope / B of its elements a turn to
/// memory and back: they are rather up to 24 or 32 wide, in strips of which the cache holds what
/// two turns share, B / 2 rows, and a first-level cache what two planes of a turn do (NarrowStrip).
/// A wavefront has rows / B tiles, enough for all threads and of a number that they share well
/// (BalancedSize). Of few turns, diamonds are cut off above and below, but no narrower: rows of
/// some hundred elements are fast, and little lies between them.
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
  // Kernels with rows side by side, whose points cost more, gain by fewer edges.
  const long long wide_diamond = extent.points > 1 ? 32 : 24;
  constexpr long long kWideAlone = 48;
  constexpr long long kTwoWaves = 64;
  constexpr double kNarrow = 8;
  const double shared = 2 * static_cast<double>(caches.core) / static_cast<double>(bytes);
  const double square = std::sqrt(2 * shared);
  const double alone = std::max(square, shared / kNarrow);
  const long long height = 2 * slope * turns;
  const long long widest = height <= kTwoWaves ? std::max(kWideAlone, height) : kWideAlone;
  const long long most = threads == 1 ? std::min(widest, static_cast<long long>(alone))
                                      : std::min(wide_diamond, static_cast<long long>(square));
  // A multiple of which is no fewer tiles than threads.
  const long long shares = (rows + threads - 1) / threads + 2 * slope - 1;
  const long long wide = std::min(most, threads == 1 ? rows / 2 : shares);
  const bool is_wide = columns > 1 && size < wide;
  if (is_wide) size = wide;
  // Smaller diamonds in longer strips come from the cache as fast, and faster where rows lie in few
  // of its sets: a power of two apart.
  constexpr long long kSmall = 64;
  const bool is_small = columns > 1 && !is_wide && size > kSmall * slope;
  if (is_small) size = std::max(kSmall * slope, size / 2);
  size = BalancedSize(extent, std::min(size, shares), threads);
  if (size < kLeastSize * slope) return tile;
  tile.size = size;
  tile.strip = (is_small ? 6 : 2) * size;
  const auto held_rows = static_cast<long long>(shared / static_cast<double>(size));
  const long long fitting =
      is_wide ? std::min(held_rows, NarrowStrip(extent)) : NarrowStrip(extent);
  tile.strip = std::clamp(fitting, slope, tile.strip);
  return tile;
}

}  // namespace stencilgen

#endif  // STENCILGEN_BAND_TILE_HPP
