// Rims: halos of inputs that all threads load in turns, beyond the points that they have.
#include <string>

#include "plan/live_registers.h"
#include "plan/verify_tile.h"
#include "tile_test_tools.h"

namespace stencilgen::testing {
namespace {

using plan::Tile;
using Kind = plan::TileStep::Kind;
using Steps = std::vector<std::string>;

const std::string kLongStar = "x[j][i] = u[j-1][i] + u[j][i-2] + u[j][i] + u[j][i+1] + u[j+1][i];";
const std::string kBox = "x[j][i] = u[j-1][i-1] + u[j][i] + u[j+1][i+1];";

Tile Made(const std::string& statements, const std::string& schedule) {
  const graph::Graph graph = StarProgram(statements);
  Tile tile = MakeTile(graph, schedule + " shared=yes fusion=max");
  CHECK(VerifyTile(graph, tile) == std::vector<std::string>{});
  return tile;
}

std::vector<Kind> Kinds(const Tile& tile) {
  std::vector<Kind> kinds;
  for (const plan::TileStep& step : tile.steps) kinds.push_back(step.kind);
  return kinds;
}

TEST_CASE("with halos by loads, a block of one level stores all its points") {
  const Tile threads = Made(kLongStar, "block=16,8,1");
  CHECK(threads.Stored(0) == 6);
  CHECK(threads.Stored(1) == 13);
  CHECK(threads.rims.empty());
  const Tile loads = Made(kLongStar, "block=16,8,1 halo=loads");
  CHECK(loads.Stored(0) == 8);
  CHECK(loads.Stored(1) == 16);
  REQUIRE(loads.rims.size() == 1);
  const plan::Rim& rim = loads.rims[0];
  CHECK(rim.halo.lo == std::array<std::int64_t, 3>{1, 2, 0});
  CHECK(rim.halo.hi == std::array<std::int64_t, 3>{1, 1, 0});
  CHECK_FALSE(rim.corners);
  CHECK(RimElements(loads, rim) == 2 * 16 + 3 * 8);
  CHECK(RimLoads(loads, rim) == 1);
  // Rows of a plane are as long as the rim is wide.
  CHECK(loads.SharedStride(0) == 19);
  CHECK(threads.SharedStride(0) == 16);
}

TEST_CASE("corners are loaded where one read leaves the block in both dimensions") {
  const Tile tile = Made(kBox, "block=8,4,1 halo=loads");
  REQUIRE(tile.rims.size() == 1);
  CHECK(tile.rims[0].corners);
  CHECK(RimElements(tile, tile.rims[0]) == 10 * 6 - 8 * 4);
}

TEST_CASE("of two levels the first has points around the block, the input a rim around those") {
  const Tile tile = Made(kTwoStars, "block=16,8,1 halo=loads");
  CHECK(tile.Stored(0) == 6);
  CHECK(tile.Stored(1) == 14);
  REQUIRE(tile.rims.size() == 1);
  CHECK(tile.rims[0].halo.lo == std::array<std::int64_t, 3>{1, 1, 0});
}

TEST_CASE("a rim is loaded a step before it is published, or in the same step") {
  // The centre plane is published one step after it is loaded, and its rim comes in between.
  const Tile later = Made(kLongStar, "block=16,1,1 stream=0:0 halo=loads");
  CHECK(Kinds(later) == std::vector<Kind>{Kind::Load, Kind::Publish, Kind::LoadRim, Kind::Barrier,
                                          Kind::Compute, Kind::Store});
  CHECK(plan::RimAge(later.versions[0]) == 0);
  // Only the plane that others read needs one.
  CHECK(later.rims[0].halo.lo[0] == 0);
  CHECK(later.rims[0].halo.hi[0] == 0);
  const Tile at_once = Made(kLongStar, "block=16,8,1 halo=loads");
  CHECK(Kinds(at_once) == std::vector<Kind>{Kind::Load, Kind::LoadRim, Kind::Publish, Kind::Barrier,
                                            Kind::Compute, Kind::Store});
}

TEST_CASE("there are no rims where warps exchange rows, or for three dimensions") {
  const Tile shuffled = Made(kLongStar, "block=32,1,1 stream=0:0 shuffle=yes halo=loads");
  CHECK(shuffled.rims.empty());
  CHECK(shuffled.Stored(1) == 29);
}

TEST_CASE("a rim that is not loaded, or too small, is found") {
  const graph::Graph graph = StarProgram(kLongStar);
  const Tile good = MakeTile(graph, "block=16,8,1 shared=yes fusion=max halo=loads");
  Tile unloaded = good;
  for (auto* steps : {&unloaded.steps, &unloaded.free_steps}) {
    steps->erase(std::remove_if(steps->begin(), steps->end(),
                                [](const auto& step) { return step.kind == Kind::LoadRim; }),
                 steps->end());
  }
  CHECK_FALSE(VerifyTile(graph, unloaded).empty());
  Tile narrow = good;
  narrow.rims[0].halo.lo[1] = 1;
  CHECK_FALSE(VerifyTile(graph, narrow).empty());
  Tile early = good;
  std::swap(early.steps[1], early.steps[2]);
  CHECK_FALSE(VerifyTile(graph, early).empty());
}

TEST_CASE("registers that are live in a step: planes, sums, and what is fetched") {
  const graph::Graph star = StarProgram(kLongStar);
  // u: ages 0 and 1 in registers, the centre's from there; age 2 for the plane above: three planes
  // of one double each, and the result.
  const Tile stream = MakeTile(star, "block=16,1,1 stream=0:0 shared=yes fusion=max");
  const plan::LiveRegisters live = FindLiveRegisters(star, stream);
  CHECK(live.planes == 2 * 4);
  CHECK(live.sums == 0);
  CHECK(live.fetched == 2 * 2);  // two neighbours along x
  const Tile points = MakeTile(star, "block=16,1,1 unroll=3,1,1 stream=0:0 shared=yes fusion=max");
  CHECK(FindLiveRegisters(star, points).planes == 3 * 2 * 4);
}

}  // namespace
}  // namespace stencilgen::testing
