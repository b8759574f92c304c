// The page on a plan says how wide tiles of turns would be; generated code decides that when it
// runs. Both must say the same of one machine.
#define STENCILGEN_CORE_CACHE_BYTES (1 << 20)
#define STENCILGEN_CACHE_BYTES (std::size_t{16} << 20)
#include "stencilgen/band.hpp"
#include "support/catch.h"
#include "tools/explain/band_tile.h"

using namespace stencilgen;
using driver::BandSize;
using driver::PredictBandTile;

TEST_CASE("tiles of turns are as wide as the generated code would choose them") {
  REQUIRE(stencilgen::Threads() == 1);
  machine::Cpu cpu = machine::DefaultCpu();
  cpu.cores = 1;
  cpu.caches = {{1, 32 << 10, 64, 1, 1, 1},
                {2, STENCILGEN_CORE_CACHE_BYTES, 64, 1, 1, 1},
                {3, STENCILGEN_CACHE_BYTES, 64, 1, 1, 1}};
  int tiled = 0;
  for (const long long rows : {1LL, 100LL, 4000LL, 100000LL}) {
    for (const long long columns : {1LL, 50LL, 4000LL, 100000LL}) {
      for (const long long bytes : {8LL, 16LL, 4096LL}) {
        for (const long long turns : {3LL, 10LL, 1000LL}) {
          for (const long long slope : {1LL, 3LL}) {
            const BandTile expected = ChooseBandTile(rows, columns, bytes, slope, turns);
            const BandSize found = PredictBandTile({rows, columns, bytes, slope, turns}, cpu);
            INFO(rows << " " << columns << " " << bytes << " " << turns << " " << slope);
            CHECK(found.size == expected.size);
            CHECK(found.strip == expected.strip);
            tiled += found.size > 0 ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(tiled > 20);
}
