// The page on a plan says how wide tiles would be; generated code decides that when it
// runs. Both must say the same of one machine.
#include <algorithm>
#include <cmath>
#include <vector>

#include "choose/nest_traffic.h"
#include "support/catch.h"
#include "tools/explain/band_tile.h"
#include "unit/runtime_tiles.h"

using namespace stencilgen;
using driver::PredictBandTile;
using namespace stencilgen::testing;

TEST_CASE("tiles of turns are as wide as the generated code would choose them") {
  REQUIRE(RuntimeThreads() == 1);
  machine::Cpu cpu = machine::DefaultCpu();
  cpu.cores = 1;
  cpu.caches = {{1, 32 << 10, 64, 1, 1, 1},
                {2, kCoreCacheBytes, 64, 1, 1, 1},
                {3, kLastCacheBytes, 64, 1, 1, 1}};
  int tiled = 0;
  for (const long long rows : {1LL, 100LL, 4000LL, 100000LL}) {
    for (const long long columns : {1LL, 50LL, 4000LL, 100000LL}) {
      for (const long long bytes : {8LL, 16LL, 4096LL}) {
        for (const long long turns : {1LL, 2LL, 10LL, 1000LL}) {
          for (const long long slope : {1LL, 3LL}) {
            const RuntimeBand expected = RuntimeBandTile(rows, columns, bytes, slope, turns);
            const BandTile found = PredictBandTile({rows, columns, bytes, slope, turns}, cpu);
            INFO(rows << " " << columns << " " << bytes << " " << turns << " " << slope);
            CHECK(found.tiles == expected.tiles);
            CHECK(found.strip == expected.strip);
            tiled += found.tiles > 0 ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(tiled > 20);
}

TEST_CASE("strips of planes are so narrow that a first-level cache holds what these share") {
  // A rank's half of 256 x 256 x 256 doubles, two arrays, with ghosts for 26 turns.
  const BandExtent half = {152, 254, 16 * 254, 1, 26};
  for (const long long threads : {1LL, 2LL}) {
    const BandTile tile = BandTileFor(half, {2 << 20, 32 << 20, threads});
    CHECK(tile.tiles == (threads == 1 ? 3 : 6));
    CHECK(tile.strip == 5);
  }
  // Kernels that compute two rows side by side have what these share in registers.
  BandExtent pairs = half;
  pairs.points = 2;
  CHECK(BandTileFor(pairs, {2 << 20, 32 << 20, 2}).strip < 5);
  // Four rows at least, however long they are, but where the core's cache holds no more.
  CHECK(BandTileFor({152, 254, 16 * 1000, 2, 10}, {2 << 20, 32 << 20, 2}).strip == 4);
  CHECK(BandTileFor({152, 254, 16 * 20000, 1, 10}, {2 << 20, 32 << 20, 2}).strip == 2);
  // Where a point of two iterators is no row, strips are as long as a core's cache allows.
  CHECK(BandTileFor({4000, 4000, 16, 1, 100}, {2 << 20, 32 << 20, 2}).strip == 6 * 91);
}

namespace {

/// The part of their time in which threads compute that share wavefronts of so many tiles, by the
/// points of all: each thread takes the next one when it is free.
double Balance(long long rows, long long turns, long long tiles, long long threads, bool ring) {
  const auto line = [&](long long n) { return graph::FloorDiv(n * rows, tiles); };
  long long work = 0;
  long long time = 0;
  for (long long wave = -1; wave * rows <= 2 * turns * tiles; ++wave) {
    std::vector<long long> busy(static_cast<std::size_t>(threads), 0);
    const long long first = (wave + 1) / 2;
    const long long count = ring || wave % 2 != 0 ? tiles : tiles + 1;
    for (long long left = first; left < first + count; ++left) {
      const long long right = wave - left;
      long long points = 0;
      for (long long t = 0; t < turns; ++t) {
        long long low = std::max(line(left) - t, t - line(right + 1) + 1);
        long long high = std::min(line(left + 1) - 1 - t, t - line(right));
        if (!ring) {
          low = std::max(low, 0LL);
          high = std::min(high, rows - 1);
        }
        points += std::max(0LL, high - low + 1);
      }
      *std::min_element(busy.begin(), busy.end()) += points;
      work += points;
    }
    time += *std::max_element(busy.begin(), busy.end());
  }
  CHECK(work == rows * turns);
  return static_cast<double>(work) / static_cast<double>(threads * time);
}

}  // namespace

TEST_CASE("a wavefront has tiles of which threads have equal parts") {
  const auto tiles = [](long long rows, long long threads) {
    return BandTileFor({rows, 300, 16 * 300, 1, 100}, {2 << 20, 32 << 20, threads}).tiles;
  };
  CHECK(tiles(254, 1) == 5);
  CHECK(tiles(254, 2) == 10);
  CHECK(tiles(254, 3) == 12);
  CHECK(tiles(254, 4) == 12);
  CHECK(tiles(254, 8) == 16);
  CHECK(tiles(254, 16) == 16);
  CHECK(tiles(298, 8) == 16);
  CHECK(tiles(298, 64) == 64);
  // Threads of which each would have two rows.
  CHECK(tiles(298, 149) == 0);
  for (const long long rows : {98LL, 254LL, 298LL}) {
    for (const long long threads : {1LL, 2LL, 3LL, 8LL, 13LL}) {
      for (const bool ring : {false, true}) {
        INFO(rows << " rows, " << threads << " threads" << (ring ? ", a ring" : ""));
        CHECK(Balance(rows, 100, tiles(rows, threads), threads, ring) > 0.88);
      }
    }
  }
}

TEST_CASE("loops whose arrays the cores' own caches hold run turn by turn") {
  for (const long long threads : {1LL, 2LL, 16LL}) {
    const long long points = (1 << 20) / 16 * threads;
    CHECK(BandTileFor({points - 1, 1, 16, 1, 100}, {1 << 20, 1LL << 30, threads}).tiles == 0);
    CHECK(BandTileFor({points, 1, 16, 1, 100}, {1 << 20, 1LL << 30, threads}).tiles > 0);
    // Flat tiles of planes gain where there is more than a shared cache has for each core.
    const long long planes = (4 << 20) / (16 * 128 * 128) * threads;
    CHECK(BandTileFor({planes - 1, 128, 16 * 128, 1, 100}, {1 << 20, 1LL << 30, threads}).tiles ==
          0);
    CHECK(BandTileFor({planes, 128, 16 * 128, 1, 100}, {1 << 20, 1LL << 30, threads}).tiles > 0);
    // A cache of which half is less.
    const BandCaches small = {1 << 20, (4LL << 20) * threads, threads};
    CHECK(BandTileFor({planes / 2, 128, 16 * 128, 1, 100}, small).tiles > 0);
  }
}

TEST_CASE("tiles by the cache have as many rows as the generated code would choose") {
  machine::Cpu cpu = machine::DefaultCpu();
  cpu.cores = 1;
  cpu.caches = {{1, 32 << 10, 64, 1, 1, 1},
                {2, kCoreCacheBytes, 64, 1, 1, 1},
                {3, kLastCacheBytes, 64, 1, 1, 1}};
  graph::Operator op;
  int tiled = 0;
  for (const long long rows : {1LL, 7LL, 100LL, 512LL, 4001LL}) {
    for (const long long columns : {1LL, 250LL, 512LL, 20000LL}) {
      op.domain.intervals.clear();
      for (const long long extent : {10LL, rows, columns}) {
        op.domain.intervals.push_back(
            {{{graph::LinearForm::Constant(0)}}, {{graph::LinearForm::Constant(extent - 1)}}});
      }
      for (const int planes : {2, 5, 9}) {
        plan::LoopNest nest = plan::PlainNest(3);
        nest.tile[1] = plan::kTileByCache;
        nest.planes = planes;
        nest.row_bytes = 8 * (planes + 1);
        nest.rim_bytes = 8 * planes * (planes - 1);
        const long long expected =
            RuntimeTileRows(rows, nest.row_bytes * columns, nest.rim_bytes * columns, planes);
        INFO(rows << " x " << columns << ", " << planes << " planes");
        CHECK(choose::TilesAt(nest, op, {}, cpu).tile[1] == expected);
        tiled += expected < rows ? 1 : 0;
      }
    }
  }
  CHECK(tiled > 10);
}
