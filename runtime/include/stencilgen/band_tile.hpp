#ifndef STENCILGEN_BAND_TILE_HPP
#define STENCILGEN_BAND_TILE_HPP

#include <algorithm>
#include <cmath>

// Tiles of several turns on a CPU. Used by generated code, and by the compiler to say what that
// will do on a machine.

namespace stencilgen {

/// The tiles of a loop whose turns are computed several at a time: how many diamonds a wavefront
/// has, and how wide strips across them are. No tiles: turn by turn is better.
struct BandTile {
  long long tiles = 0;
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

/// How many tiles of about that size threads have equal parts of: a multiple of theirs. Tiles are
/// up to an eighth wider, or narrower where they would be wider still.
inline long long BalancedTiles(long long rows, double size, long long threads) {
  constexpr double kWider = 1.125;
  const long long fewer = static_cast<long long>(static_cast<double>(rows) / size) / threads;
  if (fewer > 0 &&
      static_cast<double>(rows) <= kWider * size * static_cast<double>(fewer * threads))
    return fewer * threads;
  const auto least = static_cast<long long>(std::ceil(static_cast<double>(rows) / (kWider * size)));
  return (least + threads - 1) / threads * threads;
}

/// How wide diamonds are that stay in a core's cache in all their turns: one of size B and a strip
/// of 2 B touch B rows of at most 3 B columns.
inline double CachedSize(const BandExtent& extent, const BandCaches& caches) {
  constexpr double kPart = 0.75;
  constexpr double kRow = 16 << 10;
  const auto bytes = static_cast<double>(extent.bytes);
  // A row by itself is swept so often that it is rather in a first-level cache, in half of it.
  if (extent.columns == 1) return std::floor(kRow / bytes);
  const double points = kPart * static_cast<double>(caches.core) / bytes;
  const double size = std::floor(std::sqrt(points / 3));
  // Rows that are shorter than a strip leave room for more of them.
  const auto columns = static_cast<double>(extent.columns);
  return columns < 2 * size ? std::floor(points / columns) : size;
}

/// True where single turns are as fast, since the cores' own caches hold all. A level that cores
/// share gives less than tiles take from those, but as much as flat ones do. Machines are shared:
/// of what it has, a core gets so much at most.
inline bool CachesHold(const BandExtent& extent, const BandCaches& caches, bool flat) {
  constexpr long long kMostOfCore = 4LL << 20;
  const double all = static_cast<double>(extent.rows) * static_cast<double>(extent.columns) *
                     static_cast<double>(extent.bytes);
  const long long own = caches.core * caches.threads;
  const long long shared = std::min(caches.last / 2, kMostOfCore * caches.threads);
  return all < static_cast<double>(flat ? std::max(own, shared) : own);
}

/// How wide diamonds are of which a core's cache holds what two turns of a tile share, size / 2
/// rows of a strip, where it does not hold all turns.
inline double FlatSize(const BandExtent& extent, const BandCaches& caches) {
  const double shared = 2 * static_cast<double>(caches.core) / static_cast<double>(extent.bytes);
  const double square = std::sqrt(2 * shared);
  // Kernels with rows side by side, whose points cost more, gain by fewer edges.
  if (caches.threads > 1) return std::min(extent.points > 1 ? 32.0 : 24.0, std::floor(square));
  // One thread waits for no other one, so that it may have fewer tiles, wider ones in narrower
  // strips: wide enough for all turns in two wavefronts, where that is little more.
  constexpr double kWide = 48;
  constexpr double kTwoWaves = 64;
  constexpr double kNarrow = 8;
  const auto height = static_cast<double>(2 * extent.slope * extent.turns);
  const double widest = height <= kTwoWaves ? std::max(kWide, height) : kWide;
  const double wide = std::min(widest, std::floor(std::max(square, shared / kNarrow)));
  return std::min(wide, std::floor(static_cast<double>(extent.rows) / 2));
}

/// The tiles of a loop on a machine with such caches.
///
/// Where a core's cache holds all turns of diamonds 32 wide or more (CachedSize), these never wait
/// for memory; large ones are half as wide, in strips of 6 B: these come from the cache as fast,
/// and faster where rows lie in few of its sets, a power of two apart. Where a point of the two
/// iterators is itself a long row, such diamonds would be flat, and a tile moves 4 * slope / B of
/// its elements a turn to memory and back: they are rather up to 24 or 32 wide (FlatSize), in
/// strips of which a first-level cache holds what two planes of a turn share (NarrowStrip). Of few
/// turns, diamonds are cut off above and below, but no narrower: rows of some hundred elements are
/// fast, and little lies between them. A wavefront has tiles enough for all threads
/// (BalancedTiles).
inline BandTile BandTileFor(const BandExtent& extent, const BandCaches& caches) {
  constexpr double kFlat = 32;
  constexpr double kSmall = 64;
  constexpr long long kLeast = 4;
  const long long rows = extent.rows;
  const long long slope = extent.slope;
  if (extent.turns < 2 || rows < 1 || extent.columns < 1) return {};
  const double cached = CachedSize(extent, caches);
  const bool planes = extent.columns > 1;
  if (CachesHold(extent, caches, planes && cached < kFlat)) return {};
  const double flat = planes ? FlatSize(extent, caches) : 0;
  const bool is_flat = cached < flat;
  const double small = kSmall * static_cast<double>(slope);
  const bool is_small = planes && !is_flat && cached > small;
  const double size = is_flat ? flat : is_small ? std::max(small, std::floor(cached / 2)) : cached;
  // Threads without tiles of some rows.
  if (size < static_cast<double>(kLeast * slope) || rows <= 2 * slope * caches.threads) return {};
  BandTile tile;
  tile.tiles =
      std::min(BalancedTiles(rows, size, caches.threads), std::max(1LL, rows / (kLeast * slope)));
  const long long width = (rows + tile.tiles - 1) / tile.tiles;
  const long long most = (is_small ? 6 : 2) * width;
  const long long held = 2 * caches.core / extent.bytes / width;
  const long long narrow = NarrowStrip(extent);
  tile.strip = std::clamp(is_flat ? std::min(held, narrow) : narrow, slope, std::max(slope, most));
  return tile;
}

}  // namespace stencilgen

#endif  // STENCILGEN_BAND_TILE_HPP
