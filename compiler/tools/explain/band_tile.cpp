#include "tools/explain/band_tile.h"

#include <algorithm>
#include <cmath>

namespace stencilgen::driver {

BandSize PredictBandTile(const BandExtent& extent, const machine::Cpu& cpu) {
  constexpr std::int64_t kLeastTurns = 2;
  constexpr std::int64_t kLeastSize = 4;
  constexpr double kMostOfCore = 8.0 * (1 << 20);
  if (cpu.caches.empty()) return {};
  // The cache that a core has for itself: the second level, where there is one.
  const machine::Cache& own = cpu.caches[std::min<std::size_t>(1, cpu.caches.size() - 1)];
  const double cache = 0.75 * static_cast<double>(own.bytes);
  const auto rows = static_cast<double>(extent.rows);
  const auto columns = static_cast<double>(extent.columns);
  const auto bytes = static_cast<double>(extent.bytes);
  const std::int64_t threads = std::max(cpu.cores, 1);
  const double held = std::min(static_cast<double>(cpu.caches.back().bytes) / 2,
                               kMostOfCore * static_cast<double>(threads));
  const bool fits = rows * columns * bytes < std::max(held, cache);
  if (extent.turns < kLeastTurns || extent.rows < 1 || extent.columns < 1 || fits) return {};
  const double points = cache / bytes;
  constexpr double kRow = 16 << 10;
  auto size = static_cast<std::int64_t>(extent.columns > 1 ? std::sqrt(points / 3) : kRow / bytes);
  // Rows that are shorter than a strip leave room for more of them.
  if (extent.columns > 1 && extent.columns < 2 * size) {
    size = static_cast<std::int64_t>(points / columns);
  }
  constexpr std::int64_t kWide = 32;
  constexpr std::int64_t kWideAlone = 48;
  constexpr std::int64_t kTwoWaves = 64;
  constexpr double kNarrow = 8;
  const double shared = 2 * static_cast<double>(own.bytes) / bytes;
  const double square = std::sqrt(2 * shared);
  const double alone = std::max(square, shared / kNarrow);
  const std::int64_t height = 2 * extent.slope * extent.turns;
  const std::int64_t widest = height <= kTwoWaves ? std::max(kWideAlone, height) : kWideAlone;
  const std::int64_t most = threads == 1 ? std::min(widest, static_cast<std::int64_t>(alone))
                                         : std::min(kWide, static_cast<std::int64_t>(square));
  const std::int64_t wide = std::min(most, extent.rows / (2 * threads));
  const bool is_wide = extent.columns > 1 && size < wide;
  if (is_wide) size = wide;
  size = std::min(size, extent.rows / threads);
  size -= size % (2 * extent.slope);
  if (size < kLeastSize * extent.slope) return {};
  if (!is_wide) return {size, 2 * size};
  const auto strip = static_cast<std::int64_t>(shared / static_cast<double>(size));
  return {size, std::clamp(strip, extent.slope, 2 * size)};
}

}  // namespace stencilgen::driver
