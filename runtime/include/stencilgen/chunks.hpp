#ifndef STENCILGEN_CHUNKS_HPP
#define STENCILGEN_CHUNKS_HPP

#include "stencilgen/math.hpp"

namespace stencilgen {

/// Blocks of a kernel that a device runs at a time: a wave of them.
struct Occupancy {
  long long multiprocessors = 1;
  long long blocks = 1;  ///< of a multiprocessor
  long long wave() const { return multiprocessors * blocks; }
};

/// What chunks of a stream cost: each block of a kernel walks through one, step by step.
struct ChunkCosts {
  long long overlap = 0;   ///< steps of a block beside one for each point of its chunk
  long long shortest = 1;  ///< points of a chunk
  double ramp = 0;         ///< of a launch, in waves: blocks begin and end at times far apart
  double lone = 1;  ///< time of a step of a lone block on a multiprocessor, over a full one's
};

/// The time of a launch of so many blocks, in steps of full multiprocessors. The last wave takes as
/// long as others, however few blocks it has.
inline double ChunksTime(long long blocks, long long chunk, const Occupancy& device,
                         const ChunkCosts& costs) {
  const auto waves = static_cast<double>(CeilDiv(blocks, device.wave()));
  double full = 1;
  if (blocks < device.wave() && device.blocks > 1) {
    // Of a multiprocessor: several blocks are never slower than one after the other.
    const auto most = static_cast<double>(device.blocks);
    const auto others = static_cast<double>(CeilDiv(blocks, device.multiprocessors) - 1);
    const double lone = Max(costs.lone, 1 / most);
    full = lone + (1 - lone) * others / (most - 1);
  }
  return full * (waves + costs.ramp) * static_cast<double>(chunk + costs.overlap);
}

/// The length of chunks along a stream that takes least time: as many as make whole waves of
/// blocks, of which each chunk has `tiles`. At least the shortest, unless one chunk is all.
inline long long FitChunk(long long extent, long long tiles, const Occupancy& device,
                          const ChunkCosts& costs) {
  constexpr long long kMoreWaves = 16;
  constexpr long long kMostChunks = 65535;  // blocks along an axis of a grid
  if (extent <= costs.shortest || tiles < 1) return costs.shortest;
  const long long most = Min(extent / costs.shortest, kMostChunks);
  const long long fewest_waves = CeilDiv(tiles, device.wave());
  long long best = extent;
  double least = ChunksTime(tiles, extent, device, costs);
  // Parts of the first wave, a block more on each multiprocessor, and then whole waves.
  for (long long part = 1; part < device.blocks + fewest_waves + kMoreWaves; ++part) {
    const long long whole = Max(part - device.blocks + 1, 0LL);
    const long long blocks =
        part < device.blocks ? part * device.multiprocessors : whole * device.wave();
    const long long count = Min(blocks / tiles, most);
    if (count < 2) continue;
    const long long chunk = CeilDiv(extent, count);
    const double time = ChunksTime(CeilDiv(extent, chunk) * tiles, chunk, device, costs);
    if (time < least) {
      least = time;
      best = chunk;
    }
    if (count == most) break;
  }
  return best;
}

}  // namespace stencilgen

#endif  // STENCILGEN_CHUNKS_HPP
