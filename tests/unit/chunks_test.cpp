#include "stencilgen/chunks.hpp"

#include <cstdint>

#include "support/catch.h"

// The length of chunks along a stream, by the device and the sizes.
namespace stencilgen {
namespace {

/// Of the last wave of blocks, what it leaves empty.
double Tail(long long extent, long long tiles, const Occupancy& device, long long chunk) {
  const long long blocks = CeilDiv(extent, chunk) * tiles;
  const long long places = CeilDiv(blocks, device.wave()) * device.wave();
  return static_cast<double>(places - blocks) / static_cast<double>(places);
}

/// The least time of all lengths of which the extent has whole chunks, none shorter than may be.
double LeastTime(long long extent, long long tiles, const Occupancy& device,
                 const ChunkCosts& costs) {
  double least = ChunksTime(tiles, extent, device, costs);
  for (long long chunk = CeilDiv(extent, extent / costs.shortest); chunk < extent; ++chunk) {
    const double time = ChunksTime(CeilDiv(extent, chunk) * tiles, chunk, device, costs);
    least = time < least ? time : least;
  }
  return least;
}

constexpr Occupancy kH100 = {132, 16};
constexpr ChunkCosts kRows = {16, 24, 0.25, 0.3};
constexpr ChunkCosts kPlanes = {8, 16, 0.5, 0.5};

TEST_CASE("chunks make whole waves") {
  for (const long long extent : {16384LL, 16368LL, 20000LL, 9973LL, 32768LL}) {
    for (const long long tiles : {147LL, 74LL, 293LL, 512LL}) {
      for (const Occupancy& device : {kH100, Occupancy{114, 8}, Occupancy{78, 2}}) {
        const long long chunk = FitChunk(extent, tiles, device, kRows);
        INFO(extent << " rows, " << tiles << " tiles, chunks of " << chunk);
        CHECK(chunk >= 24);
        CHECK(Tail(extent, tiles, device, chunk) < 0.05);
      }
    }
  }
}

TEST_CASE("no length of a chunk takes much less time than the one chosen") {
  for (const long long extent : {500LL, 1000LL, 2041LL, 4096LL, 8190LL, 16384LL}) {
    for (const long long tiles : {1LL, 5LL, 19LL, 147LL, 1000LL, 5000LL}) {
      for (const Occupancy& device : {kH100, Occupancy{132, 1}, Occupancy{20, 4}}) {
        for (const ChunkCosts& costs : {kRows, kPlanes}) {
          const long long chunk = FitChunk(extent, tiles, device, costs);
          INFO(extent << " rows, " << tiles << " tiles, chunks of " << chunk);
          CHECK(chunk >= costs.shortest);
          const long long blocks = CeilDiv(extent, chunk) * tiles;
          CHECK(ChunksTime(blocks, chunk, device, costs) <=
                1.03 * LeastTime(extent, tiles, device, costs));
        }
      }
    }
  }
}

TEST_CASE("the lengths of chunks, by extent and tiles") {
  struct Case {
    long long extent, tiles, chunk;
  };
  const Case cases[] = {
      {10, 5, 24},                         // one chunk: the shortest is longer than the extent
      {47, 5, 47},                         // two would be shorter than the shortest
      {48, 5, 24},        {100, 5, 25},    // a small grid: as many as may be
      {500, 74, 32},      {500, 147, 36},  // one wave, not full and nearly full
      {1000, 147, 72},    {4096, 19, 37},      {4096, 147, 96},     // one wave and three
      {16368, 147, 381},  {16384, 147, 288},   {100000, 147, 633},  // 3, 4 and 11 waves
      {16384, 1000, 863}, {16384, 5000, 2048}, {48, 5000, 48},      // more tiles than a wave has
  };
  for (const Case& each : cases) {
    INFO(each.extent << " rows, " << each.tiles << " tiles");
    CHECK(FitChunk(each.extent, each.tiles, kH100, kRows) == each.chunk);
  }
  // Half of the multiprocessors, the same rows: chunks for waves of half the blocks.
  CHECK(FitChunk(4096, 147, {66, 16}, kRows) == 196);
  CHECK(FitChunk(4096, 147, {132, 1}, kRows) == 512);
  // Where nothing is computed nothing depends on it.
  CHECK(FitChunk(0, 147, kH100, kRows) == 24);
  CHECK(FitChunk(100, 0, kH100, kRows) == 24);
}

TEST_CASE("a grid has no more chunks than blocks along an axis") {
  const ChunkCosts free = {0, 1, 0, 1};
  CHECK(FitChunk(1000000, 1, {100000, 10}, free) == CeilDiv(1000000, 65535));
}

}  // namespace
}  // namespace stencilgen
