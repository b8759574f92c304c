#pragma once

// Sizes of tiles as the runtime of generated code finds them, on a machine of one core with the
// caches below. Its headers and the compiler's do not go together.

namespace stencilgen::testing {

inline constexpr long long kCoreCacheBytes = 1LL << 20;
inline constexpr long long kLastCacheBytes = 16LL << 20;

struct RuntimeBand {
  long long tiles = 0, strip = 0;
};

/// stencilgen::ChooseBandTile, stencilgen::TileRows and stencilgen::Threads.
RuntimeBand RuntimeBandTile(long long rows, long long columns, long long bytes, long long slope,
                            long long turns);
long long RuntimeTileRows(long long rows, long long row_bytes, long long rim_bytes,
                          long long planes);
long long RuntimeThreads();

}  // namespace stencilgen::testing
